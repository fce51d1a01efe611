/**
 * A statement that people wrote, cut into tokens as the sessions of this dialect read it. Pure.
 *
 * @module
 */

/** A name, a word, a literal or a sign. */
export interface Token {
  /** As it is written. */
  readonly text: string;
  /** A name in quotes without them, anything else in lower case. */
  readonly word: string;
  readonly kind: "word" | "quoted" | "other";
  /** Nothing stands between it and the one before. */
  readonly adjoins: boolean;
}

const TOKEN = /(`(?:[^`]|``)*`)|'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|([\w$\u0080-\u{10ffff}]+)|\S/gsu;

/** Tokens of a text without comments. */
export function tokensOf(sql: string): readonly Token[] {
  let end = 0;
  return [...sql.matchAll(TOKEN)].map(({ 0: text, 1: quoted, 2: word, index }) => {
    const adjoins = index === end;
    end = index + text.length;
    if (quoted === undefined) {
      return { text, word: text.toLowerCase(), kind: word === undefined ? "other" : "word", adjoins };
    }
    return { text, word: quoted.slice(1, -1).replaceAll("``", "`"), kind: "quoted", adjoins };
  });
}

/** A name as it is looked up: on servers that fold case, another spelling is just not known. */
export function nameOf({ kind, word, text }: Token): string {
  return kind === "quoted" ? word : text;
}

/** Whether the token at a place is this word of the language. */
export function isWord(tokens: readonly Token[], at: number, word: string): boolean {
  const token = tokens[at];
  return token?.kind === "word" && token.word === word;
}

/** The place of the parenthesis that belongs to this one. */
export function counterpart(tokens: readonly Token[], place: number): number | undefined {
  const step = tokens[place]?.text === "(" ? 1 : -1;
  let depth = 0;
  for (let at = place; at >= 0 && at < tokens.length; at += step) {
    const { text } = tokens[at] ?? { text: "" };
    if (text === "(") depth += step;
    if (text === ")") depth -= step;
    if (depth === 0) return at;
  }
  return undefined;
}
