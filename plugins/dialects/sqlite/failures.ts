/**
 * Errors and their meaning for the service.
 *
 * @module
 */

import type { Failure } from "@/plugins/contract.ts";
import { codeOf, DatabaseFailure } from "@/plugins/kit/database_failure.ts";

/** A worker has ended: killed, or out of memory. */
export class WorkerEnded extends DatabaseFailure {
  /** True if it has not run the request. */
  readonly isUnused: boolean;

  constructor(isUnused: boolean) {
    super("unavailable", "The worker that ran the statement has ended");
    this.name = "WorkerEnded";
    this.isUnused = isUnused;
  }
}

/** A failure of SQLite in a worker, with the code and message of the driver's error. */
export class StatementError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "StatementError";
    this.code = code;
  }
}

/** Another handle or program has locked the file; a lock is temporary. */
export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith("SQLITE_BUSY");
}

/**
 * A file without permission to write, on a read-only medium, or in a format that this SQLite can only read.
 */
export function readOnly(cause?: unknown): DatabaseFailure {
  const message = "The database is read-only: its file may not be written";
  return new DatabaseFailure("read-only", message, { cause });
}

/** A worker that does not answer in time. */
export function unresponsive(): DatabaseFailure {
  return new DatabaseFailure("unavailable", "The worker does not answer");
}

/** The failure that a worker reports. */
export function failureOf({ code, message }: { readonly code: string; readonly message: string }): Error {
  const error = new StatementError(code, message);
  // SQLite begins to write even a read-only file, and reports it at the first statement.
  return code.startsWith("SQLITE_READONLY") ? readOnly(error) : error;
}

const CODES: readonly (readonly [RegExp, Failure])[] = [
  [/^SQLITE_(CONSTRAINT|MISMATCH)/, "integrity"],
  [/^SQLITE_(BUSY|LOCKED|NOMEM|PROTOCOL)/, "unavailable"],
  [/^SQLITE_(CANTOPEN|IOERR|FULL)/, "storage"],
  [/^SQLITE_(CORRUPT|NOTADB)/, "corrupt"],
  [/^SQLITE_SCHEMA/, "changed"],
  [/^SQLITE_TOOBIG/, "too-complex"],
  [/^SQLITE_READONLY/, "read-only"],
  [/^SQLITE_(PERM|AUTH)/, "permission"],
];

/** Failures by message, for `SQLITE_ERROR` and for refusals by the driver itself. */
const MESSAGES: readonly (readonly [RegExp, Failure])[] = [
  [/^no such (table|column|view|index)\b|^table .+ has (no column named|\d+ values for) /s, "changed"],
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

/**
 * The meaning of an error of SQLite; undefined for an unknown one, and for SQL that is none. Functions in
 * views, indexes, checks and triggers refuse values with any message: `malformed JSON`, `integer overflow`.
 */
export function classify(error: unknown): Failure | undefined {
  if (error instanceof DatabaseFailure) return error.failure;
  if (!(error instanceof Error)) return undefined;
  const code = codeOf(error);
  const known = CODES.find(([pattern]) => pattern.test(code)) ??
    MESSAGES.find(([pattern]) => pattern.test(error.message));
  const isRefusal = code.startsWith("SQLITE_ERROR") && !error.message.endsWith("syntax error");
  return known?.[1] ?? (isRefusal ? "invalid" : undefined);
}
