/**
 * Splits T-SQL into tokens, in the necessary detail: comments are left out, quoted text is one token.
 *
 * @module
 */

/** A name, a word or a string, unchanged. */
export interface Token {
  readonly text: string;
  /** The position of its beginning. */
  readonly index: number;
}

/** Names, strings and comments, then words. */
const TOKENS = /"(?:[^"]|"")*"|\[(?:[^\]]|\]\])*\]|'(?:[^']|'')*'|--[^\r\n]*|\/\*|[@#$\w]+/g;

/** Names, strings and words, in their order, without the symbols between them. */
export function* tokensOf(text: string): Generator<Token> {
  const tokens = new RegExp(TOKENS);
  for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
    const [token] = found;
    if (token === "/*") tokens.lastIndex = endOfComment(text, found.index);
    else if (!token.startsWith("--")) yield { text: token, index: found.index };
  }
}

/** Comments nest. */
function endOfComment(text: string, start: number): number {
  let depth = 0;
  for (const { 0: mark, index } of text.slice(start).matchAll(/\/\*|\*\//g)) {
    depth += mark === "/*" ? 1 : -1;
    if (depth === 0) return start + index + mark.length;
  }
  return text.length;
}
