/**
 * T-SQL in pieces, as far as it has to be understood: comments are left out, whatever is quoted is one piece.
 *
 * @module
 */

/** A name, a word or a string, as it is written. */
export interface Token {
  readonly text: string;
  /** Where it begins. */
  readonly index: number;
}

/** Names, strings and comments, then words. */
const TOKENS = /"(?:[^"]|"")*"|\[(?:[^\]]|\]\])*\]|'(?:[^']|'')*'|--[^\r\n]*|\/\*|[@#$\w]+/g;

/** Names, strings and words, in their order; signs between them are left out. */
export function* tokensOf(text: string): Generator<Token> {
  const tokens = new RegExp(TOKENS);
  for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
    const [token] = found;
    if (token === "/*") tokens.lastIndex = endOfComment(text, found.index);
    else if (!token.startsWith("--")) yield { text: token, index: found.index };
  }
}

/** Comments stand within comments. */
function endOfComment(text: string, start: number): number {
  let depth = 0;
  for (const { 0: mark, index } of text.slice(start).matchAll(/\/\*|\*\//g)) {
    depth += mark === "/*" ? 1 : -1;
    if (depth === 0) return start + index + mark.length;
  }
  return text.length;
}
