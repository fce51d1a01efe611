/**
 * The meaning of PostgreSQL's error codes for the service.
 *
 * @module
 */

import type { Failure } from "@/plugins/contract.ts";

/** By prefix of the SQLSTATE (appendix A of PostgreSQL's manual); the first match decides. */
const STATES: readonly (readonly [string, Failure])[] = [
  ["23", "integrity"],
  ["27", "integrity"],
  ["44", "integrity"],
  // Errors raised by functions and triggers: rules of the database.
  ["P0", "integrity"],
  ["22", "invalid"],
  // Mistakes in a view or a function: a subquery with several rows, no RETURN, no matching CASE, invalid SQL.
  ["21", "invalid"],
  ["2F", "invalid"],
  ["20", "invalid"],
  ["42601", "invalid"],
  ["42702", "invalid"],
  // A missing operator or function: a type that cannot be compared or sorted.
  ["42883", "invalid"],
  ["42P18", "invalid"],
  ["42846", "invalid"],
  // A trigger creates a temporary table, or another named object, that exists already.
  ["42P07", "invalid"],
  ["42710", "invalid"],
  ["42501", "permission"],
  ["42809", "permission"],
  ["428C9", "permission"],
  ["25006", "read-only"],
  ["55000", "permission"],
  ["0L", "permission"],
  ["0P", "permission"],
  ["28", "login"],
  ["3D", "login"],
  ["40", "contention"],
  ["55P03", "contention"],
  ["55006", "contention"],
  ["57014", "timeout"],
  ["25P03", "timeout"],
  ["25P04", "timeout"],
  ["42P01", "changed"],
  ["42703", "changed"],
  ["42704", "changed"],
  ["42804", "changed"],
  ["3F", "changed"],
  ["54", "too-complex"],
  ["08", "unavailable"],
  ["53", "unavailable"],
  ["57", "unavailable"],
  ["58", "unavailable"],
  ["XX001", "unavailable"],
  ["XX002", "unavailable"],
  // Missing prepared statements: a pooler in transaction mode, without `prepare: false`.
  ["26000", "unavailable"],
  ["42P05", "unavailable"],
];

/** `routine` is the server's function that refused; it distinguishes failures with one code. */
export function failureOfState(state: string, routine: string): Failure | undefined {
  if (!/^[0-9A-Z]{5}$/.test(state)) return undefined;
  // "cached plan must not change result type", or an unsupported operation: changing this kind of view.
  if (state === "0A000") return routine === "RevalidateCachedQuery" ? "changed" : "permission";
  // A materialized view that was never filled; otherwise the code is about views that cannot be written.
  if (state === "55000" && routine === "ExecOpenScanRelation") return "invalid";
  const known = STATES.find(([start]) => state.startsWith(start))?.[1];
  // RAISE may use any code: a rule of the database.
  return known ?? (routine === "exec_stmt_raise" ? "integrity" : undefined);
}
