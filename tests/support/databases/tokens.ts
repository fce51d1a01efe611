/**
 * SQL in pieces: enough of its syntax to say it again in another engine's words.
 *
 * @module
 */

/** A piece of SQL. */
export interface Token {
  /** `word` is a keyword or a name without quotes, `name` a quoted one, `other` a number, bytes or a sign. */
  readonly kind: "word" | "name" | "string" | "other";
  /** The text as written. Names and strings have no quotes. */
  readonly text: string;
  /** White space or a comment precedes it. */
  readonly isSpaced: boolean;
}

const PIECES =
  /(?<space>(?:\s+|--[^\n]*)*)(?:(?<string>'(?:[^']|'')*')|(?<name>"(?:[^"]|"")*")|(?<other>[xX]'[^']*'|\d[\w.]*|[<>=!|]+)|(?<word>[A-Za-z_]\w*)|(?<sign>.))/gsu;

/** The tokens of a text, without comments and white space. */
export function tokenize(sql: string): readonly Token[] {
  return [...sql.trim().matchAll(PIECES)].map(
    ({ groups: { space, string, name, word, other, sign } = {} }) => {
      const isSpaced = space !== "";
      if (string !== undefined) return { kind: "string", text: unquote(string), isSpaced };
      if (name !== undefined) return { kind: "name", text: unquote(name), isSpaced };
      if (word !== undefined) return { kind: "word", text: word, isSpaced };
      return { kind: "other", text: other ?? sign ?? "", isSpaced };
    },
  );
}

/** The tokens as SQL; `quote` decides which names need the engine's quotes. */
export function spell(tokens: readonly Token[], quote: (token: Token) => string): string {
  return tokens.map((token, at) => {
    const text = token.kind === "string" ? quoteText(token.text) : quote(token);
    return token.isSpaced && at > 0 ? ` ${text}` : text;
  }).join("");
}

/** A string in standard SQL. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function unquote(text: string): string {
  const quote = text.slice(0, 1);
  return text.slice(1, -1).replaceAll(quote + quote, quote);
}
