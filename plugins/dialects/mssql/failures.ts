/**
 * What can go wrong, and what the service shall make of it.
 *
 * @module
 */

import type { Failure } from "@/plugins/contract.ts";
import { DatabaseFailure, UnstorableValue } from "@/plugins/kit/database_failure.ts";
import { babelfishFailure, NOT_MAPPED } from "./babelfish.ts";
import { ConnectionError, InputError, RequestError } from "./driver.ts";
import { NUMBERS } from "./error_numbers.ts";

/** Numbers from here on are those of RAISERROR and THROW: the database's own rules. */
const FIRST_OF_USERS = 50_000;
/** Numbers of ill-formed XML. */
const XML = { first: 9400, last: 9499 } as const;
/** An arithmetic overflow. */
const OVERFLOW = 8115;
/** From this class on the server ends the connection. */
const FATAL = 20;

/** What the driver reports, told apart from a lost connection: that it passes on as the socket's own error. */
export function reported(error: Error): Error {
  const isKnown = error instanceof RequestError || error instanceof ConnectionError ||
    error instanceof InputError || error instanceof AggregateError;
  return isKnown ? error : new DatabaseFailure("unavailable", "The connection was lost", { cause: error });
}

/** Undefined: nothing that SQL Server or its driver is known for. */
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

/** One statement may fail for several reasons; the driver puts them together. */
export function requestErrors(error: unknown): readonly RequestError[] {
  if (error instanceof RequestError) return [error];
  if (!(error instanceof AggregateError)) return [];
  return error.errors.filter((each) => each instanceof RequestError);
}

function classifyRequest(error: RequestError): Failure | undefined {
  if (error.number === undefined) return CODES.get(error.code ?? "");
  if (error.number === NOT_MAPPED) return babelfishFailure(error.message);
  // A key that was counted up to its end is no value that somebody has sent.
  if (error.number === OVERFLOW && /\bIDENTITY\b/.test(error.message)) return "integrity";
  const known = NUMBERS.get(error.number);
  if (known) return known;
  if (error.number >= XML.first && error.number <= XML.last) return "invalid";
  if (error.number >= FIRST_OF_USERS && error.class !== undefined && error.class < FATAL) return "integrity";
  return (error.class ?? 0) >= FATAL ? "unavailable" : undefined;
}

/** The driver's own codes. */
const CODES: ReadonlyMap<string, Failure> = new Map([
  ["ETIMEOUT", "timeout"],
  ["ECLOSE", "unavailable"],
  ["ESOCKET", "unavailable"],
  ["EINVALIDSTATE", "unavailable"],
  ["EPARAM", "invalid"],
]);

/** Incorrect syntax: the words that follow quote the statement. */
const NO_SQL: ReadonlySet<number> = new Set([102, 105, 156, 170]);

const TOLD: ReadonlySet<Failure | undefined> = new Set<Failure>(["integrity", "invalid"]);

/** The server's own words, without the names of databases and schemas; those of other failures may name hosts. */
export function explain(error: unknown): string {
  if (error instanceof UnstorableValue) return error.message;
  if (error instanceof DatabaseFailure && error.failure === "invalid") return withoutPlaces(error.message);
  const told = requestErrors(error).find((each) => TOLD.has(classifyRequest(each)));
  if (told && NO_SQL.has(told.number ?? 0)) return "The statement is no SQL that this server understands";
  return told ? withoutPlaces(told.message) : "The database refused the statement";
}

/** `The conflict occurred in database "shop", table "dbo.owner"` names what a caller of one database knows. */
function withoutPlaces(message: string): string {
  return message.replace(/\bdatabase "[^"]*", /g, "").replace(/(["'])[\w$#@]+\.([^"'.]+)\1/g, "$1$2$1")
    .trim();
}
