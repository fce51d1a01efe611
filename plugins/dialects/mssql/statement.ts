/**
 * A cached statement: its text in pieces between the parameters, its decoder, and its effect. The server
 * caches plans by text. It has no read-only transactions, so a read must not contain a word that writes.
 *
 * @module
 */

import type { StatementText } from "@/plugins/contract.ts";
import { type Bound, guess, sentName } from "./bound.ts";
import { compileDecoder, type RowDecoder } from "./decode.ts";

/** The text and its parameters in order. */
export interface Command {
  readonly sql: string;
  readonly parameters: readonly Bound[];
  /** A saved query: only its first result is read, and its session is reset afterwards. */
  readonly isSavedQuery?: boolean;
}

/** The facts about a statement before it runs, the same for all connections. */
export class MssqlStatement {
  readonly decode: RowDecoder;
  readonly isSavedQuery: boolean;
  /** Arguments of a procedure call are converted implicitly, and must not be expressions. */
  readonly #isCall: boolean;
  /** It calls a procedure among other statements. */
  readonly #hasCall: boolean;
  readonly #text: string;
  readonly #limitAt: number | undefined;
  #pieces: readonly Piece[] | undefined;
  /** The text without casts. */
  #plain: string | undefined;
  #effect: Effect | undefined;
  #isLoneWrite: boolean | undefined;

  constructor({ sql, columns, limitAt, verb }: StatementText) {
    this.isSavedQuery = verb !== undefined;
    this.#isCall = verb === "EXEC" || verb === "EXECUTE";
    this.#hasCall = this.isSavedQuery && wordsOf(sql).some((word) => isOneOf(word, CALLING));
    this.#text = this.isSavedQuery ? terminated(sql) : sql;
    this.#limitAt = limitAt;
    this.decode = compileDecoder(columns);
  }

  get effect(): Effect {
    return this.#effect ??= effectOf(this.#text);
  }

  /** Whether one statement of its text changes something, which the server commits by itself. */
  get isLoneWrite(): boolean {
    return this.#isLoneWrite ??= !this.isSavedQuery && changesOnce(this.#text);
  }

  /** The quoted name of the table that an insert is for. */
  get insertsInto(): string {
    return INSERTS.exec(this.#text)?.[1] ?? "";
  }

  /** Resets the session if the statement fails before it has done so itself. */
  get remedy(): string | undefined {
    const [, table] = /^set identity_insert (.+?) on; /.exec(this.#text) ?? [];
    return table === undefined ? undefined : `set identity_insert ${table} off`;
  }

  /** A page of zero rows, which the server refuses to fetch. */
  isEmpty(values: readonly unknown[]): boolean {
    return this.#limitAt !== undefined && Number(values[this.#limitAt]) === 0;
  }

  /** The text with the parameters' names, and the casts that these values need. */
  command(values: readonly unknown[]): Command {
    const parameters = values.map(guess);
    const hasCasts = !this.#isCall && parameters.some(({ cast }) => cast !== undefined);
    const sql = hasCasts ? this.#write(parameters) : this.#plain ??= this.#write([]);
    return { sql, parameters, isSavedQuery: this.isSavedQuery };
  }

  #write(parameters: readonly Bound[]): string {
    this.#pieces ??= splitAtParameters(this.#text);
    const write = this.#hasCall ? asVariable : asCast;
    const text = this.#pieces.map((piece) => typeof piece === "string" ? piece : write(piece, parameters));
    return (this.#hasCall ? declarations(parameters) : "") + text.join("");
  }
}

const INSERTS = /^(?:declare @keys [^;]*; )?insert into ("(?:[^"]|"")*"\."(?:[^"]|"")*")/;

/** The text of a saved query, whose semicolons at the end have been removed: MERGE needs one. */
export function terminated(sql: string): string {
  return `${sql};`;
}

/** The core keeps the texts of frequent statements. */
const known = new WeakMap<StatementText, MssqlStatement>();

/** The statement of a text, which is looked at once. */
export function statementFor(text: StatementText): MssqlStatement {
  return known.getOrInsertComputed(text, () => new MssqlStatement(text));
}

type Piece = string | number;

/** Splits a text at its parameters. Names, strings and comments stay whole; a parameter is `@1`. */
export function splitAtParameters(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const token of tokensOf(text)) {
    const [, number] = /^@(\d+)$/.exec(token.text) ?? [];
    if (number === undefined) continue;
    pieces.push(text.slice(from, token.index), Number(number));
    from = token.index + token.text.length;
  }
  return [...pieces, text.slice(from)];
}

function asCast(number: number, parameters: readonly Bound[]): string {
  const cast = parameters[number - 1]?.cast;
  const name = `@${sentName(number)}`;
  return cast === undefined ? name : `cast(${name} as ${cast})`;
}

function asVariable(number: number, parameters: readonly Bound[]): string {
  return `@${sentName(number)}${parameters[number - 1]?.cast === undefined ? "" : "_typed"}`;
}

function declarations(parameters: readonly Bound[]): string {
  return parameters.map(({ cast }, at) => {
    const name = sentName(at + 1);
    return cast === undefined ? "" : `declare @${name}_typed ${cast} = @${name}; `;
  }).join("");
}

/** The effect of a procedure is `unknown`: it runs in a transaction that is rolled back. */
type Effect = "reads" | "unknown" | "writes";

const WRITING: ReadonlySet<string> = new Set([
  ...["insert", "update", "delete", "merge", "into", "truncate", "updatetext", "writetext", "bulk"],
  ...["create", "alter", "drop", "grant", "revoke", "deny"],
  ...["backup", "restore", "dbcc", "kill", "shutdown", "reconfigure"],
  // Ending a transaction would keep its changes.
  ...["commit", "rollback", "tran", "transaction"],
]);

const CHANGING: ReadonlySet<string> = new Set(["insert", "update", "delete"]);

const CALLING: ReadonlySet<string> = new Set(["exec", "execute"]);

/** Searches for words that no read-only statement needs. */
export function effectOf(text: string): Effect {
  const words = wordsOf(text);
  if (words.some((word) => isOneOf(word, WRITING)) || hasPhrase(words)) return "writes";
  // A procedure at the beginning of a batch needs no EXECUTE.
  const isQuery = words[0] === "select" || words[0] === "with" || words[0] === "declare" ||
    words[0] === "set";
  return isQuery && !words.some((word) => isOneOf(word, CALLING)) ? "reads" : "unknown";
}

/** Whether a text without settings of the session has exactly one statement that changes rows. */
function changesOnce(text: string): boolean {
  const words = wordsOf(text);
  const isPlain = words[0] === "declare" || CHANGING.has(words[0] ?? "");
  return isPlain && words.filter((word) => CHANGING.has(word)).length === 1;
}

/** Words and variables in lower case, without quoted names. */
function wordsOf(text: string): readonly string[] {
  return Array.from(tokensOf(text), (token) => token.text.toLowerCase())
    .filter((token) => /^[@#$\w]/.test(token));
}

/** Words that only write together. A sequence counts up, and a rollback does not take that back. */
const PHRASES = [["next", "value", "for"], ["disable", "trigger"], ["enable", "trigger"]] as const;

function hasPhrase(words: readonly string[]): boolean {
  return words.some((_, at) => PHRASES.some((phrase) => phrase.every((word, by) => words[at + by] === word)));
}

/** A number needs no space before a word: `1into t`, `$1into t`. Names never begin with a digit or `$`. */
function isOneOf(word: string, words: ReadonlySet<string>): boolean {
  if (words.has(word)) return true;
  return /^[\d$]/.test(word) && words.values().some((each) => word.endsWith(each));
}

/** A name, a word or a string, unchanged. */
interface Token {
  readonly text: string;
  readonly index: number;
}

/** Names, strings and comments, then words. */
const TOKENS = /"(?:[^"]|"")*"|\[(?:[^\]]|\]\])*\]|'(?:[^']|'')*'|--[^\r\n]*|\/\*|[@#$\w]+/g;

/** Names, strings and words, in their order, without the symbols between them. */
function* tokensOf(text: string): Generator<Token> {
  const tokens = new RegExp(TOKENS);
  for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
    const [token] = found;
    if (token === "/*") tokens.lastIndex = endOfComment(text, found.index);
    else if (!token.startsWith("--")) yield { text: token, index: found.index };
  }
}

function endOfComment(text: string, start: number): number {
  let depth = 0;
  for (const { 0: mark, index } of text.slice(start).matchAll(/\/\*|\*\//g)) {
    depth += mark === "/*" ? 1 : -1;
    if (depth === 0) return start + index + mark.length;
  }
  return text.length;
}
