/**
 * Settings of a session, sent at its beginning, so that they cost nothing later.
 *
 * @module
 */

import type { DatabaseDefinition } from "@/plugins/contract.ts";

/** Settings that a pooler like PgBouncer tracks for each client; it refuses others. */
const EVERYWHERE = { DateStyle: "ISO", TimeZone: "UTC" } as const;

/** Seconds that a transaction may rest beyond the service's limit, for the case that the service is gone. */
const GRACE = 5;

/**
 * Values have one format, whatever the defaults of the server, the database or the login; nothing is written by accident.
 */
export function sessionSettings({ prepare, pool }: DatabaseDefinition): Readonly<Record<string, string>> {
  if (!prepare) return EVERYWHERE;
  const { statementTimeout, acquireTimeout } = pool;
  return {
    ...EVERYWHERE,
    IntervalStyle: "postgres",
    lc_monetary: "C",
    bytea_output: "hex",
    extra_float_digits: "1",
    xmloption: "content",
    array_nulls: "on",
    transform_null_equals: "off",
    default_transaction_read_only: "on",
    default_transaction_isolation: "read committed",
    standard_conforming_strings: "on",
    statement_timeout: milliseconds(statementTimeout),
    lock_timeout: milliseconds(acquireTimeout),
    idle_in_transaction_session_timeout: milliseconds(statementTimeout > 0 ? statementTimeout + GRACE : 0),
  };
}

/** Zero: no limit. */
function milliseconds(seconds: number): string {
  return seconds > 0 ? String(Math.max(1, Math.round(seconds * 1000))) : "0";
}
