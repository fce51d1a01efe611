/**
 * What can go wrong, and what the service shall make of it.
 *
 * @module
 */

import type { Failure } from "@/plugins/contract.ts";

/** A failure that this dialect finds itself, rather than SQLite. */
export class SqliteFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SqliteFailure";
    this.failure = failure;
  }
}

/** A failure of SQLite that happened in a worker: the same code and message as the driver's own error. */
export class StatementError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "StatementError";
    this.code = code;
  }
}

/** The driver's code of an error, `SQLITE_BUSY`, or an empty string. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

/** Someone else has locked the file; a lock passes. */
export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith("SQLITE_BUSY");
}

/** By the start of the code; the first match decides. */
const CODES: readonly (readonly [string, Failure])[] = [
  ["SQLITE_CONSTRAINT", "integrity"],
  ["SQLITE_BUSY", "unavailable"],
  ["SQLITE_LOCKED", "unavailable"],
  ["SQLITE_CANTOPEN", "unavailable"],
  ["SQLITE_IOERR", "unavailable"],
  ["SQLITE_NOTADB", "unavailable"],
  ["SQLITE_CORRUPT", "unavailable"],
  ["SQLITE_FULL", "unavailable"],
  ["SQLITE_NOMEM", "unavailable"],
  ["SQLITE_PROTOCOL", "unavailable"],
  ["SQLITE_SCHEMA", "changed"],
  ["SQLITE_TOOBIG", "too-complex"],
  ["SQLITE_READONLY", "permission"],
  ["SQLITE_PERM", "permission"],
  ["SQLITE_AUTH", "permission"],
];

/** By the message, where SQLite has nothing but `SQLITE_ERROR` or the driver refuses by itself. */
const MESSAGES: readonly (readonly [RegExp, Failure])[] = [
  [/^no such (table|column|view|index)\b/, "changed"],
  [/pattern too complex$/, "too-complex"],
  [/^too many (SQL variables|terms|columns|arguments|FROM clause terms|references)/i, "too-complex"],
  [/^Expression tree is too large/, "too-complex"],
  [/^at most \d+ tables in a join/, "too-complex"],
  [/^(string or blob too big|The bound string, buffer, or bigint is too big)/, "too-complex"],
  [/^(parser stack overflow|Recursion limit)/, "too-complex"],
];

/** Undefined: nothing that SQLite is known for. */
export function classify(error: unknown): Failure | undefined {
  if (error instanceof SqliteFailure) return error.failure;
  if (!(error instanceof Error)) return undefined;
  const code = codeOf(error);
  const byCode = CODES.find(([start]) => code.startsWith(start));
  return byCode?.[1] ?? MESSAGES.find(([pattern]) => pattern.test(error.message))?.[1];
}
