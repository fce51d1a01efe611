/**
 * Babelfish, a PostgreSQL that speaks SQL Server's protocol, has one number for all errors without an equivalent, with
 * PostgreSQL's messages.
 *
 * @module
 */

import type { Failure } from "@/plugins/contract.ts";

/** The number of errors without an equivalent. */
export const NOT_MAPPED = 33_557_097;

const MESSAGES: readonly (readonly [RegExp, Failure])[] = [
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

/** Undefined: an unknown message. */
export function babelfishFailure(message: string): Failure | undefined {
  return MESSAGES.find(([pattern]) => pattern.test(message))?.[1];
}
