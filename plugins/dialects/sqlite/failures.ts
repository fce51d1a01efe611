/**
 * What can go wrong, and what the service shall make of it.
 *
 * @module
 */

import type { Failure } from "@/plugins/contract.ts";
import { DatabaseFailure, UnstorableValue } from "@/plugins/kit/database_failure.ts";

/** A statement that people wrote and SQLite does not take; the message is SQLite's own. */
export class InvalidStatement extends DatabaseFailure {
  constructor(message: string, options?: ErrorOptions) {
    super("invalid", message, options);
    this.name = "InvalidStatement";
  }
}

/** A worker that is not there any more: killed, or out of memory. */
export class WorkerEnded extends DatabaseFailure {
  constructor() {
    super("unavailable", "The worker that ran the statement has ended");
    this.name = "WorkerEnded";
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

/** A file without permission to write, on a read-only medium, or of a format that this SQLite may only read. */
export function readOnly(cause?: unknown): DatabaseFailure {
  return new DatabaseFailure("permission", "The database is read-only: its file may not be written", {
    cause,
  });
}

/** SQLite has refused to write to the file. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error).startsWith("SQLITE_READONLY");
}

/** By the start of the code; the first match decides. */
const CODES: readonly (readonly [string, Failure])[] = [
  ["SQLITE_CONSTRAINT", "integrity"],
  ["SQLITE_MISMATCH", "integrity"],
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
  [/^foreign key mismatch - /, "integrity"],
  [/^cannot modify .+ because it is a view$/s, "permission"],
  [/^table .+ may not be (modified|dropped)$/s, "permission"],
  [/^cannot (INSERT into|UPDATE) generated column /, "permission"],
  [/pattern too complex$/, "too-complex"],
  [/^too many (SQL variables|terms|columns|arguments|FROM clause terms|references)/i, "too-complex"],
  [/^Expression tree is too large/, "too-complex"],
  [/^at most \d+ tables in a join/, "too-complex"],
  [/^(string or blob too big|The bound string, buffer, or bigint is too big)/, "too-complex"],
  [/^(parser stack overflow|Recursion limit)/, "too-complex"],
];

/** Undefined: nothing that SQLite is known for. */
export function classify(error: unknown): Failure | undefined {
  if (error instanceof DatabaseFailure) return error.failure;
  if (error instanceof UnstorableValue) return "too-complex";
  if (!(error instanceof Error)) return undefined;
  const code = codeOf(error);
  const byCode = CODES.find(([start]) => code.startsWith(start));
  return byCode?.[1] ?? MESSAGES.find(([pattern]) => pattern.test(error.message))?.[1];
}

/**
 * SQLite's own words: `UNIQUE constraint failed: Customer.Email`, or what a trigger says. Its other messages, and those
 * of this dialect, may name files.
 */
export function explain(error: unknown): string {
  const isTold = error instanceof InvalidStatement ||
    (error instanceof Error && classify(error) === "integrity");
  return isTold ? error.message : "The database refused the statement";
}
