/**
 * Errors and their meaning for the service.
 *
 * @module
 */

import type { Failure } from "@/plugins/contract.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { FAILURES, LOGIN_ERRORS } from "./failure_table.ts";

/** The server's number of an error, or 0. */
export function numberOf(error: unknown): number {
  const number = error instanceof Error && "errno" in error ? error.errno : 0;
  return typeof number === "number" ? number : 0;
}

/** Undefined: an unknown error. */
export function classify(error: unknown): Failure | undefined {
  if (error instanceof DatabaseFailure) return error.failure;
  if (!(error instanceof Error)) return undefined;
  const known = FAILURES.get(numberOf(error));
  if (known) return known;
  if (isRaised(error)) return "integrity";
  return isLost(error) ? "unavailable" : undefined;
}

/** A number has another meaning while connecting than in a statement. */
export function connectFailure(error: unknown): DatabaseFailure {
  const failure = LOGIN_ERRORS.has(numberOf(error)) ? "login" : "unavailable";
  const reason = error instanceof Error ? error.message : String(error);
  return new DatabaseFailure(failure, `Cannot connect: ${reason}`, { cause: error });
}

/** `SIGNAL SQLSTATE '45000'`: a rule in a trigger or a procedure. */
function isRaised(error: Error): boolean {
  return "sqlState" in error && error.sqlState === "45000";
}

const LOST = /^(PROTOCOL_|HANDSHAKE_|AUTH_SWITCH_)|^E(CONN|PIPE|TIMEDOUT|NOTFOUND|AI_|HOST|NET|INVAL)/;

/** The connection has ended, or could not be made. */
function isLost(error: Error): boolean {
  if ("fatal" in error && error.fatal === true) return true;
  return "code" in error && typeof error.code === "string" && LOST.test(error.code);
}
