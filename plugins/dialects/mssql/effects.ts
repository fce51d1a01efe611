/**
 * Judges whether a statement only reads. SQL Server has no read-only transactions, so a read must not contain a word that
 * writes.
 *
 * @module
 */

/** The effect of a procedure is `unknown`: it runs in a transaction that is rolled back. */
export type Effect = "reads" | "unknown" | "writes";

const WRITING: ReadonlySet<string> = new Set([
  "insert",
  "update",
  "delete",
  "merge",
  "into",
  "truncate",
  "create",
  "alter",
  "drop",
  "grant",
  "revoke",
  "deny",
  "bulk",
  "updatetext",
  "writetext",
  "backup",
  "restore",
  "dbcc",
  "kill",
  "shutdown",
  "reconfigure",
  // Ending a transaction would keep its changes.
  "commit",
  "rollback",
  "tran",
  "transaction",
]);

const CALLING: ReadonlySet<string> = new Set(["exec", "execute"]);

/** Searches for words that no read-only statement needs. */
export function effectOf(text: string): Effect {
  const words = Array.from(tokensOf(text), (token) => token.text.toLowerCase())
    .filter((token) => /^[@#$\w]/.test(token));
  if (words.some((word) => isOneOf(word, WRITING))) return "writes";
  // A procedure at the beginning of a batch needs no EXECUTE.
  const isQuery = words[0] === "select" || words[0] === "with" || words[0] === "declare" ||
    words[0] === "set";
  return isQuery && !words.some((word) => isOneOf(word, CALLING)) ? "reads" : "unknown";
}

/** A number needs no space before a word: `1into t`, `$1into t`. Names never begin with a digit or `$`. */
function isOneOf(word: string, words: ReadonlySet<string>): boolean {
  if (words.has(word)) return true;
  return /^[\d$]/.test(word) && words.values().some((each) => word.endsWith(each));
}

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
