/**
 * Errors and their meaning for the service.
 *
 * @module
 */

import type { Failure } from "@/plugins/contract.ts";
import { codeOf, DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { failureOfState } from "./sql_states.ts";

/** The codes of the driver and the network for a lost or missing connection. */
const CONNECTION_CODES: ReadonlySet<string> = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  "CONNECT_TIMEOUT",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EADDRNOTAVAIL",
  "EAI_AGAIN",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "EMFILE",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOENT",
  "ENOTCONN",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);

/** The server has cancelled the statement: it took too long, or a client requested it. */
export function isCancelled(error: unknown): boolean {
  return codeOf(error) === "57014";
}

/** The server no longer knows a prepared statement: code in the database has deallocated it. */
export function isForgotten(error: unknown): boolean {
  return codeOf(error) === "26000";
}

/** Undefined: an unknown error. */
export function classify(error: unknown): Failure | undefined {
  if (error instanceof DatabaseFailure) return error.failure;
  const code = codeOf(error);
  if (CONNECTION_CODES.has(code)) return "unavailable";
  if (code === "MAX_PARAMETERS_EXCEEDED") return "too-complex";
  return failureOfState(code, fieldOf(error, "routine"));
}

/**
 * States whose details name only columns and values of the caller. Others quote whole records, or values of other
 * records.
 */
const TELLING_DETAILS = new Set(["23503", "23505"]);

/**
 * PostgreSQL's message: `duplicate key value violates unique constraint "owner_code_key": Key (code)=(anna) already
 * exists.` Messages of other failures may name hosts, files and programs.
 */
export function explain(error: unknown, schemas: readonly string[]): string {
  const failure = classify(error);
  const isTold = (failure === "integrity" || failure === "invalid") && error instanceof Error;
  const schema = fieldOf(error, "schema_name");
  // A rule of a table in another schema: callers must not see even its name.
  if (!isTold || (schema !== "" && !schemas.includes(schema))) return "The database refused the statement";
  if (codeOf(error) === "42601") return "The statement is no SQL that this server understands";
  const detail = TELLING_DETAILS.has(codeOf(error)) ? fieldOf(error, "detail") : "";
  return detail === "" ? error.message : `${error.message}: ${detail}`;
}

function fieldOf(error: unknown, name: "detail" | "routine" | "schema_name"): string {
  const value = error instanceof Error ? Reflect.get(error, name) : undefined;
  return typeof value === "string" ? value : "";
}

/**
 * Extensions report unreadable text (hstore: `Unexpected end of string`) as an internal error, XX000. On a statement with
 * parameters such an error is about a value of the caller.
 */
export function explainInternal(error: unknown): unknown {
  if (!(error instanceof Error) || codeOf(error) !== "XX000") return error;
  return new DatabaseFailure("invalid", error.message, { cause: error });
}

/** While connecting, these codes concern the login: a missing database, no right to connect to it. */
export function explainRefusal(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (/^(28|3D|42501)/.test(codeOf(error))) {
    return new DatabaseFailure("login", `The server refuses the login: ${error.message}`, { cause: error });
  }
  if (!error.message.startsWith("unsupported startup parameter")) return error;
  const hint = "a pooler in transaction mode needs `prepare: false`";
  return new DatabaseFailure("unavailable", `${error.message}: ${hint}`, { cause: error });
}
