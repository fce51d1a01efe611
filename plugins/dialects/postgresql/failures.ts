/**
 * Errors and their meaning for the service.
 *
 * @module
 */

import type { Failure } from "@/plugins/contract.ts";
import {
  codeOf,
  DatabaseFailure,
  failuresByCode,
  lacksDescriptors,
  messageIn,
  UNTOLD,
} from "@/plugins/kit/database_failure.ts";

/** The codes of the driver and the network for a lost or missing connection. */
const LOST = new RegExp(
  "^(CONNECTION_(CLOSED|DESTROYED|ENDED)|CONNECT_TIMEOUT|ECONN(ABORTED|REFUSED|RESET)|E(HOST|NET)(DOWN|UNREACH)|" +
    "EADDRNOTAVAIL|EAI_AGAIN|ENOENT|ENOTCONN|ENOTFOUND|EPIPE|ETIMEDOUT)$",
);

/**
 * SQLSTATEs (appendix A of PostgreSQL's manual), or the classes at their
 * beginning; a whole code decides first.
 */
const STATES = failuresByCode({
  // P0, 38: errors raised by functions and triggers, in PL/pgSQL and other languages: rules of the database.
  integrity: [["23", "27", "38", "44", "P0", "2200H"]], // 2200H: an exhausted sequence of keys
  // 42: mistakes in SQL, also of a view, a policy, a trigger or a function, such as an ambiguous name.
  // 20 to 2F, 39: mistakes in functions, such as a subquery with several rows, or no RETURN.
  invalid: [["22", "42"], ["20", "21", "2B", "2D", "2F", "39"]],
  permission: [["42501", "42809", "55000", "0L", "0P"]],
  "read-only": [["25006"]],
  login: [["28", "3D"]],
  contention: [["40", "55P03", "55006"]],
  timeout: [["57014", "25P03", "25P04"]],
  changed: [["42P01", "42703", "42704", "42804", "3F"]],
  "too-complex": [["54"]],
  // No room, a failing disk, a damaged page or index: the server has them, and goes on with everything else.
  storage: [["53100", "58030", "XX001", "XX002"]],
  unavailable: [
    ["08", "53", "57", "58", "HV"], // HV: the server of a foreign table
    ["26000", "42P05"], // missing prepared statements: a pooler in transaction mode, without `prepare: false`
  ],
});

/** The server has cancelled the statement: it took too long, or a client requested it. */
export function isCancelled(error: unknown): boolean {
  return codeOf(error) === "57014";
}

/** The server no longer knows a prepared statement: code in the database has deallocated it. */
export function isForgotten(error: unknown): boolean {
  return codeOf(error) === "26000" && fieldOf(error, "routine") !== RAISE;
}

/** The server or the network has ended the connection of a statement. */
export function isEnded(error: unknown): boolean {
  if (error instanceof DatabaseFailure) return error.failure === "unavailable";
  return /^(CONNECTION_|ECONNRESET|EPIPE|57P0[125])/.test(codeOf(error));
}

/** A statement before this one has failed in the same transaction. */
export function isAborted(error: unknown): boolean {
  return codeOf(error) === "25P02";
}

/**
 * `while updating tuple (0,1) in relation "owner"`, in any language: it waited for a lock. Of several that
 * wait for one row, each waits for those before it, and then as long again as it may wait for a lock.
 */
const AT_ROW = /^[^"\n]*\(\d+,\d+\)/;

/** Undefined: an unknown error. */
export function classify(error: unknown): Failure | undefined {
  if (error instanceof DatabaseFailure) return error.failure;
  const code = codeOf(error);
  if (isCancelled(error) && AT_ROW.test(fieldOf(error, "where"))) return "contention";
  if (lacksDescriptors(error)) return "storage";
  if (LOST.test(code)) return "unavailable";
  // A value may have mistakes like those of a statement: `regclass` names a table, perhaps in a schema, and
  // `jsonpath` is code.
  if (/^(42|3F)/.test(code) && refusedParameter(error) !== undefined) return "invalid";
  if (code === "MAX_PARAMETERS_EXCEEDED") return "too-complex";
  return failureOfState(code, fieldOf(error, "routine"));
}

/** What is not supported, by the server's function that refuses it; all else is the caller's mistake. */
const UNSUPPORTED: ReadonlyMap<string, Failure> = new Map<string, Failure>([
  ["RevalidateCachedQuery", "changed"], // "cached plan must not change result type"
  ["rewriteTargetView", "permission"], // a kind of view, or of foreign table, that cannot be changed
  ["CheckValidResultRel", "permission"],
  ["call_bool_check_hook", "read-only"], // a standby begins no transaction that writes or is serializable
  ["call_enum_check_hook", "read-only"],
]);

/** The server's function of RAISE, which may use any code. */
const RAISE = "exec_stmt_raise";
/** What a function says by such a code; the others are about the server. */
const RAISED: ReadonlySet<Failure | undefined> = new Set<Failure>([
  "integrity",
  "invalid",
  "permission",
  "contention",
]);

/** `routine` is the server's function that refused; it distinguishes failures with one code. */
function failureOfState(state: string, routine: string): Failure | undefined {
  if (!/^[0-9A-Z]{5}$/.test(state)) return undefined;
  if (state === "0A000") return UNSUPPORTED.get(routine) ?? "invalid";
  // A part of WITH has fewer columns than its names.
  if (routine === "analyzeCTETargetList") return "changed";
  // A materialized view that was never filled; otherwise the code is about views that cannot be written.
  if (state === "55000" && routine === "ExecOpenScanRelation") return "invalid";
  const failure = STATES.get(state) ?? STATES.get(state.slice(0, 2));
  return routine === RAISE && !RAISED.has(failure) ? "integrity" : failure;
}

/**
 * States whose details name only columns and values of the caller. Others quote whole
 * records, or values of other records.
 */
const TELLING_DETAILS = new Set(["23503", "23505"]);

/**
 * PostgreSQL's message: `duplicate key value violates unique constraint "owner_code_key": Key (code)=(anna)
 * already exists.`
 */
export function explain(error: unknown, schemas: readonly string[]): string {
  const schema = fieldOf(error, "schema_name");
  // A rule of a table in another schema: callers must not see even its name.
  if (schema !== "" && !schemas.includes(schema)) return UNTOLD;
  if (codeOf(error) === "42601" && refusedParameter(error) === undefined) {
    return "The statement is no SQL that this server understands";
  }
  // In code of the database, such as a trigger, it is about another statement, perhaps on a hidden table.
  const isTelling = TELLING_DETAILS.has(codeOf(error)) && fieldOf(error, "where") === "";
  const detail = isTelling ? fieldOf(error, "detail") : "";
  return detail === "" ? messageIn(error) : `${messageIn(error)}: ${detail}`;
}

/**
 * `unnamed portal parameter $2 = '...'`, in any language; JSON has a line about the document before it. A
 * statement within a function is quoted.
 */
const PARAMETER = /^(?:[^\n]*JSON[^\n]*\n)?[^"'\n]*\$(\d+)(?= = |$)/;

/**
 * The index of the parameter whose text is no value of its type, also of an
 * error of {@link explainInternal}.
 */
export function refusedParameter(error: unknown): number | undefined {
  const { cause } = error instanceof DatabaseFailure ? error : { cause: error };
  const [, number] = PARAMETER.exec(fieldOf(cause, "where")) ?? [];
  return number === undefined ? undefined : Number(number) - 1;
}

function fieldOf(error: unknown, name: "detail" | "routine" | "schema_name" | "where"): string {
  const value = error instanceof Error ? Reflect.get(error, name) : undefined;
  return typeof value === "string" ? value : "";
}

/**
 * Extensions report unreadable text (hstore: `Unexpected end of string`) as an internal error, XX000. On a
 * statement with parameters such an error is about a value of the caller.
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

/** The failure of statements whose connection the server or the network has ended. */
export function lost(): DatabaseFailure {
  return new DatabaseFailure("unavailable", "The connection to the server was lost");
}
