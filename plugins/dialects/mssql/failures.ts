/**
 * Errors and their meaning for the service.
 *
 * @module
 */

import type { Failure } from "@/plugins/contract.ts";
import { DatabaseFailure, UnstorableValue } from "@/plugins/kit/database_failure.ts";
import { babelfishFailure, NOT_MAPPED } from "./babelfish.ts";
import { ConnectionError, InputError, RequestError } from "./driver.ts";
import { NUMBERS } from "./error_numbers.ts";

/** The first number of RAISERROR and THROW: rules of the database. */
const FIRST_OF_USERS = 50_000;
/** Numbers of malformed XML. */
const XML = { first: 9400, last: 9499 } as const;
/** An arithmetic overflow. */
const OVERFLOW = 8115;
/** The lowest class at which the server ends the connection. */
const FATAL = 20;

/** Distinguishes errors of the driver from a lost connection, which it reports as the socket's own error. */
export function reported(error: Error): Error {
  const isKnown = error instanceof RequestError || error instanceof ConnectionError ||
    error instanceof InputError || error instanceof AggregateError;
  return isKnown ? error : new DatabaseFailure("unavailable", "The connection was lost", { cause: error });
}

/** Undefined: an unknown error. */
export function classify(error: unknown): Failure | undefined {
  if (error instanceof DatabaseFailure) return error.failure;
  if (error instanceof UnstorableValue) return "invalid";
  if (error instanceof ConnectionError) return "unavailable";
  for (const each of requestErrors(error)) {
    const failure = classifyRequest(each);
    if (failure) return failure;
  }
  return undefined;
}

/** One statement may fail for several reasons, which the driver combines. */
export function requestErrors(error: unknown): readonly RequestError[] {
  if (error instanceof RequestError) return [error];
  if (!(error instanceof AggregateError)) return [];
  return error.errors.filter((each) => each instanceof RequestError);
}

function classifyRequest(error: RequestError): Failure | undefined {
  if (error.number === undefined) return CODES.get(error.code ?? "");
  if (error.number === NOT_MAPPED) return babelfishFailure(error.message);
  // An exhausted counter of keys is not a value of the caller.
  if (error.number === OVERFLOW && /\bIDENTITY\b/.test(error.message)) return "integrity";
  const known = NUMBERS.get(error.number);
  if (known) return known;
  if (error.number >= XML.first && error.number <= XML.last) return "invalid";
  if (error.number >= FIRST_OF_USERS && error.class !== undefined && error.class < FATAL) return "integrity";
  return (error.class ?? 0) >= FATAL ? "unavailable" : undefined;
}

/** The driver's codes. */
const CODES: ReadonlyMap<string, Failure> = new Map([
  ["ETIMEOUT", "timeout"],
  ["ECLOSE", "unavailable"],
  ["ESOCKET", "unavailable"],
  ["EINVALIDSTATE", "unavailable"],
  ["EPARAM", "invalid"],
]);

/** Incorrect syntax: the message quotes the statement. */
const NO_SQL: ReadonlySet<number> = new Set([102, 105, 156, 170]);

const TOLD: ReadonlySet<Failure | undefined> = new Set<Failure>(["integrity", "invalid"]);

/** The server's message, without the names of databases and schemas; those of other failures may name hosts. */
export function explain(error: unknown): string {
  if (error instanceof UnstorableValue) return error.message;
  if (error instanceof DatabaseFailure && error.failure === "invalid") return withoutPlaces(error.message);
  const told = requestErrors(error).find((each) => TOLD.has(classifyRequest(each)));
  if (told && NO_SQL.has(told.number ?? 0)) return "The statement is no SQL that this server understands";
  return told ? withoutPlaces(told.message) : "The database refused the statement";
}

/** `The conflict occurred in database "shop", table "dbo.owner"` keeps the names that a caller of the database knows. */
function withoutPlaces(message: string): string {
  return message.replace(/\bdatabase "[^"]*", /g, "").replace(/(["'])[\w$#@]+\.([^"'.]+)\1/g, "$1$2$1")
    .trim();
}
