/**
 * postgres.js for one connection: rows as arrays, values read by {@link PARSERS}, parameters sent as text.
 * Its own conversions are off, because they lose digits and shift times.
 *
 * @module
 */

import type { Socket } from "node:net";
import postgres, { type Sql } from "postgres";
import type { DatabaseDefinition } from "@/plugins/contract.ts";
import { milliseconds } from "@/plugins/kit/bounded.ts";
import { PARSERS } from "./decode.ts";
import type { Address } from "./dial.ts";

/** The driver's handle for one connection. */
export type Driver = Sql<Record<string, unknown>>;

/** A server, and a login there. */
export interface LaneOptions {
  readonly address: Address;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** Settings of the session. */
  readonly settings: Readonly<Record<string, string>>;
  /** What follows each BEGIN: behind a pooler, the settings of a transaction. */
  readonly onBegin?: string | undefined;
  /** Takes back what a saved query may have left. Absent: as PostgreSQL does. */
  readonly reset?: string | undefined;
}

/** Types whose parameters the driver would convert by default. */
const CONVERTED = [16, 17, 21, 23, 25, 26, 114, 700, 701, 1082, 1114, 1184, 3802];

/** Takes over a connected socket; it never opens another one. `onClose`: the connection is lost or ended. */
export function drive(
  socket: Socket,
  { user, password, database, settings }: LaneOptions,
  onClose: () => void,
): Driver {
  let isTaken = false;
  const takeOver = () => {
    if (isTaken) {
      throw Object.assign(new Error("The connection has been closed"), { code: "CONNECTION_ENDED" });
    }
    isTaken = true;
    return socket;
  };
  // The driver's types lack `socket`.
  const options: postgres.Options<Record<string, postgres.PostgresType>> & { socket(): Socket } = {
    socket: takeOver,
    host: "localhost",
    port: 5432,
    user,
    // A function, because the driver would replace an empty text by the password of the environment.
    pass: () => password,
    database,
    max: 1,
    ssl: false,
    fetch_types: false,
    connect_timeout: 0,
    idle_timeout: 0,
    max_lifetime: null,
    onnotice: () => {},
    onclose: onClose,
    connection: { application_name: "rowhouse", ...settings },
    types: TYPES,
  };
  const driver = postgres(options);
  forgetOrigins(driver);
  return driver;
}

const TYPES: Record<string, postgres.PostgresType> = {
  unchanged: { to: 25, from: CONVERTED, serialize: String, parse: (text: string) => text },
};
for (const [oid, parse] of PARSERS) TYPES[`type${oid}`] = { to: oid, from: [oid], serialize: String, parse };

/**
 * The driver keeps the stack of each failed statement for ever, to report its origin. It has no option
 * against that, so this property of its queries is replaced.
 */
function forgetOrigins(driver: Driver): void {
  const queries: unknown = Object.getPrototypeOf(driver.unsafe(""));
  if (typeof queries === "object" && queries !== null) {
    Object.defineProperty(queries, "origin", { value: "", configurable: true });
  }
}

/** Settings that a pooler like PgBouncer tracks for each client; it refuses others. */
const EVERYWHERE = { DateStyle: "ISO", TimeZone: "UTC" } as const;

/** Seconds that a transaction may rest beyond the service's limit, for the case that the service is gone. */
const GRACE = 5;

/**
 * Values have one format, whatever the defaults of the server, the database or the
 * login; nothing is written by accident.
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
    statement_timeout: settingOf(statementTimeout),
    lock_timeout: settingOf(acquireTimeout),
    idle_in_transaction_session_timeout: settingOf(statementTimeout > 0 ? statementTimeout + GRACE : 0),
  };
}

/** A pooler's session keeps no settings, so each transaction has its own limit of waits for locks. */
export function transactionSettings({ prepare, pool }: DatabaseDefinition): string {
  return prepare ? "" : `; SET LOCAL lock_timeout = ${settingOf(pool.acquireTimeout)}`;
}

/** In milliseconds, of which the server accepts as many as a timer. Zero: no limit. */
function settingOf(seconds: number): string {
  return seconds > 0 ? String(milliseconds(seconds)) : "0";
}
