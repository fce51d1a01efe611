/**
 * Errors and their meaning for the service.
 *
 * @module
 */

import { ConnectionError, InputError, RequestError } from "tedious";
import type { Failure } from "@/plugins/contract.ts";
import {
  DatabaseFailure,
  failuresByCode,
  lacksDescriptors,
  messageIn,
} from "@/plugins/kit/database_failure.ts";

/** Numbers that say more than the class of the error: {@link byClass}. */
const NUMBERS = failuresByCode({
  integrity: [
    [513, 515, 547, 548, 550], // rule, NULL, foreign key or check, range of an identity, WITH CHECK OPTION
    [2601, 2627], // unique index, unique key
    [3609, 3616, 334], // ended by a trigger, an error in a trigger, a table with triggers
    [3930, 3998], // a trigger goes on after an error that has doomed the transaction
    [271, 272, 273], // a computed column; a timestamp column in an update, in an insert
    [544, 8102], // an identity column in an insert, in an update
    [2113], // INSTEAD OF triggers and cascades
    [11728], // an exhausted sequence
  ],
  permission: [
    [229, 230, 262, 300], // no right on an object, on a column, in the database, on the server
    [297, 15247, 1088, 4902], // no right for an action; no such object, or no right on it
    [4403, 4405, 4406, 4414, 4416, 4421], // views that cannot be changed
    [13559, 13560, 13561, 33504], // the history of a table, a record that a security policy blocks
  ],
  "read-only": [[3906]],
  login: [[916, 4060, 4062, 4064, 18450, 18452, 18456, 18461, 18470, 18486, 18487, 18488]],
  contention: [
    [1205, 1222], // the victim of a deadlock, a lock timeout
    [3957, 3960, 3966, 41301, 41302, 41305, 41325, 41839], // changed since the snapshot
    [13535], // a later transaction has changed a record of a temporal table
  ],
  storage: [
    [1101, 1104, 1105, 1132, 3958, 9002, 40544], // no room for data, temporary data, old rows, the log
    [823, 824, 825], // a disk that fails, a damaged page
  ],
  unavailable: [
    [233, 596, 601], // no connection, ended by an operator, data has moved
    [701, 802, 8645, 8651, 17189], // no memory, no memory in time, no thread for a connection
    [904, 922, 924, 926, 927, 942, 945, 952, 972, 976, 983], // databases that are not open
    [3952], // no snapshots any more
    [6005, 18451, 18401], // shutting down, shutting down during a login, being upgraded
    [17142, 17147, 17148, 17809], // paused, stopping, too many connections
    [10928, 10929, 40197, 40501, 40613, 49918, 49919, 49920], // limits and moves of Azure
  ],
  changed: [
    [207, 208, 213], // no such column, no such object, another number of columns
    [3961, 16943, 16946, 2801], // changed since the snapshot, or since a procedure began
    [2812], // no such procedure
    [4413, 4502], // views of objects that are missing or have other columns
    [8158, 8159], // another number of columns than a part of WITH names
  ],
  "too-complex": [
    [106, 1702, 8003, 10738], // too many tables, columns, parameters, rows
    [125, 191, 217, 530, 8631, 8632], // nested too deep
    [8618, 8622, 8623], // no query plan
    [1791, 4815],
  ],
});

/**
 * The number that Babelfish, a PostgreSQL with SQL Server's protocol, has for
 * all errors without an equivalent.
 */
export const NOT_MAPPED = 33_557_097;

/** PostgreSQL's messages, which errors of that number have. */
const BABELFISH: readonly (readonly [RegExp, Failure])[] = [
  [/^(relation|column) .+ does not exist$/, "changed"],
  [/^nextval: reached (maximum|minimum) value of sequence/, "integrity"],
  [/^invalid input syntax for type /, "invalid"],
  [/^column reference ".+" is ambiguous/, "invalid"],
  [/^(numeric field overflow|value out of range|invalid (UTF16 )?byte sequence)/, "invalid"],
  [/ out of range\b/, "invalid"],
  [/^(more than one row returned by a subquery|division by zero)/, "invalid"],
  [/^invalid XML (content|document)/, "invalid"],
  [/^(cannot insert a non-DEFAULT value into|column ".+" can only be updated to DEFAULT)/, "integrity"],
  [/^permission denied for /, "permission"],
  [/^cannot (insert into|update|delete from) view /, "permission"],
  [/^deadlock detected/, "contention"],
  [/^(could not serialize access|canceling statement due to lock timeout)/, "contention"],
  [/^canceling statement due to statement timeout/, "timeout"],
  [/^terminating connection due to /, "unavailable"],
  [/^(sorry, too many clients|remaining connection slots|the database system is )/, "unavailable"],
  [/^stack depth limit exceeded/, "too-complex"],
];

/** The first number of RAISERROR and THROW: rules of the database. */
const FIRST_OF_USERS = 50_000;
const OVERFLOW = 8115;
/** The highest class of messages that are no errors. */
const INFORMATION = 10;
/** The class of refusals for lack of a right. */
const SECURITY = 14;
/** The lowest class of errors that a caller cannot correct: the server lacks something, or fails. */
const OF_SERVER = 17;
/** The lowest class at which the server ends the connection. */
const FATAL = 20;

/** Distinguishes errors of the driver from a lost connection, which it reports as the socket's own error. */
export function reported(error: Error): Error {
  const isKnown = error instanceof RequestError || error instanceof ConnectionError ||
    error instanceof InputError || error instanceof AggregateError;
  return isKnown ? error : new DatabaseFailure("unavailable", "The connection was lost", { cause: error });
}

/** The parts of the server's message that tell what it means. */
type Message = Pick<RequestError, "number" | "class" | "message">;

/**
 * `told`: the server's message. A server that is starting, stopping or full refuses every login: an outage.
 */
export function connectFailure(error: Error, told: Message | undefined): DatabaseFailure {
  if (error.cause instanceof DatabaseFailure) return error.cause;
  const isRefused = told !== undefined || (error instanceof ConnectionError && error.code === "ELOGIN");
  const isOutage = told !== undefined && (byNumber(told) ?? byClass(told)) === "unavailable";
  const outage = lacksDescriptors(error) ? "storage" : "unavailable";
  const failure = isRefused && !isOutage ? "login" : outage;
  // The driver names its own option.
  const message = error.message.replace(/, set 'encrypt' config option to `true`\.?/, "; set `ssl: true`");
  return new DatabaseFailure(failure, `Cannot connect: ${message}`, { cause: error });
}

/** Undefined: an unknown error. */
export function classify(error: unknown): Failure | undefined {
  if (error instanceof DatabaseFailure) return error.failure;
  if (error instanceof ConnectionError) return "unavailable";
  return decisive(error)?.[1];
}

/** One statement may fail for several reasons, which the driver combines. */
export function requestErrors(error: unknown): readonly RequestError[] {
  if (error instanceof RequestError) return [error];
  if (!(error instanceof AggregateError)) return [];
  return error.errors.filter((each) => each instanceof RequestError);
}

/** The reason that decides, and what it means: a known number says more than the class of another reason. */
function decisive(error: unknown): readonly [RequestError, Failure] | undefined {
  const errors = requestErrors(error);
  for (const meaningOf of [byNumber, byClass]) {
    for (const each of errors) {
      const failure = meaningOf(each);
      if (failure) return [each, failure];
    }
  }
  return undefined;
}

function byNumber(
  { number, class: severity, message, code = "" }: Message & Partial<Pick<RequestError, "code">>,
): Failure | undefined {
  if (number === undefined) return CODES.get(code);
  if (number === NOT_MAPPED) return BABELFISH.find(([pattern]) => pattern.test(message))?.[1];
  // An exhausted counter of keys is not a value of the caller.
  if (number === OVERFLOW && /\bIDENTITY\b/.test(message)) return "integrity";
  const isOfUsers = number >= FIRST_OF_USERS && severity !== undefined && severity < FATAL;
  return NUMBERS.get(number) ?? (isOfUsers ? "integrity" : undefined);
}

/**
 * What Microsoft's manual says about classes (severities). Those of Babelfish's unmapped errors say nothing.
 */
function byClass({ number, class: severity = 0 }: Message): Failure | undefined {
  if (number === NOT_MAPPED || severity <= INFORMATION) return undefined;
  if (severity >= OF_SERVER) return "unavailable";
  return severity === SECURITY ? "permission" : "invalid";
}

const CODES: ReadonlyMap<string, Failure> = new Map([
  ["ETIMEOUT", "timeout"],
  ["ECLOSE", "unavailable"],
  ["ESOCKET", "unavailable"],
  ["EINVALIDSTATE", "unavailable"],
  ["EPARAM", "invalid"],
]);

/** Incorrect syntax: the message quotes the statement. */
const NO_SQL: ReadonlySet<number> = new Set([102, 105, 156, 170]);

/** The server's message, without the names of databases and schemas. */
export function explain(error: unknown): string {
  const [{ number = 0, message } = { message: messageIn(error) }] = decisive(error) ?? [];
  if (NO_SQL.has(number)) return "The statement is no SQL that this server understands";
  return withoutPlaces(DUPLICATES.has(number) ? withoutValues(message) : message);
}

const DUPLICATES: ReadonlySet<number> = new Set([2601, 2627]);

/** `The duplicate key value is (taken, 1).` also has the values of columns that a caller may not see. */
function withoutValues(message: string): string {
  return message.replace(/\s[^.(]*\(.*\)\.?\s*$/s, "");
}

/** `dbo.owner` or `shop.dbo.owner`. */
const PLACE = /(["'])(?:[\w$#@-]+\.){1,2}([^"'.]+)\1/g;

/**
 * `The conflict occurred in database "shop", table "dbo.owner"` keeps the names
 * that a caller of the database knows.
 */
function withoutPlaces(message: string): string {
  return message.replace(/\bdatabase "[^"]*", /g, "").replace(PLACE, "$1$2$1").trim();
}
