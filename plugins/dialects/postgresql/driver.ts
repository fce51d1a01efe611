/**
 * postgres.js for one connection: rows as arrays, values read by {@link PARSERS}, parameters sent as text. Its own
 * conversions are off, because they lose digits and shift times.
 *
 * @module
 */

import type { Socket } from "node:net";
import postgres, { type Sql } from "postgres";
import type { Value } from "@/plugins/contract.ts";
import { PARSERS } from "./decode.ts";

/** The driver's handle for one connection. */
export type Driver = Sql<Record<string, unknown>>;

/** An open connection, and its login. */
export interface DriverOptions {
  readonly socket: Socket;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** Settings of the session. */
  readonly settings: Readonly<Record<string, string>>;
  /** Called when the connection is lost or ended. */
  onClose(): void;
}

/** Types whose parameters the driver would convert by default. */
const CONVERTED = [16, 17, 21, 23, 25, 26, 114, 700, 701, 1082, 1114, 1184, 3802];

/** Takes over a connected socket; it never opens another one. */
export function drive(driverOptions: DriverOptions): Driver {
  const { socket, user, password, database, settings, onClose } = driverOptions;
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
    prepare: true,
    debug: false,
    fetch_types: false,
    connect_timeout: 0,
    idle_timeout: 0,
    max_lifetime: null,
    keep_alive: 60,
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
  ...Object.fromEntries(
    [...PARSERS].map(([oid, parse]) => {
      return [`type${oid}`, {
        to: oid,
        from: [oid],
        serialize: String,
        parse: (text: string): Value => parse(text),
      }];
    }),
  ),
};

/**
 * The driver keeps the stack of each failed statement for ever, to report its origin. It has no option against that, so
 * this property of its queries is replaced.
 */
function forgetOrigins(driver: Driver): void {
  const queries: unknown = Object.getPrototypeOf(driver.unsafe(""));
  if (typeof queries === "object" && queries !== null) {
    Object.defineProperty(queries, "origin", { value: "", configurable: true });
  }
}
