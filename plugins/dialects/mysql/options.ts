/**
 * The driver's options for a definition and a login.
 *
 * @module
 */

import { isIP } from "node:net";
import type { DatabaseDefinition, Login } from "@/plugins/contract.ts";
import { milliseconds } from "@/plugins/kit/bounded.ts";
import type { ConnectionOptions, SslOptions } from "./driver.ts";

const PORT = 3306;
/** Prepared statements per connection; a server keeps 16,382 in total. */
const MAX_STATEMENTS = 100;
/** The encoding of every connection. */
export const CHARSET = "utf8mb4";
/** Spellings of the only lossless encoding. Servers convert between it and those of columns. */
const UNICODE = /^utf-?8(mb[34])?$/i;

/** The address of a server. */
export type Address = { readonly path: string } | { readonly host: string; readonly port: number };

/** A host that starts with a slash is the file of a socket. */
export function addressOf({ dbHost = "127.0.0.1", dbPort = PORT }: DatabaseDefinition): Address {
  return dbHost.startsWith("/") ? { path: dbHost } : { host: dbHost, port: dbPort };
}

/** All options of the driver except the socket; `ssl` comes from {@link readEncryption}. */
export function connectionOptions(
  definition: DatabaseDefinition,
  login: Login,
  ssl: SslOptions | undefined,
): ConnectionOptions {
  const address = addressOf(definition);
  if (ssl) requireName(address, ssl);
  return {
    ...("host" in address ? address : { socketPath: address.path }),
    user: login.dbuser,
    password: login.dbpass,
    database: definition.dbName,
    charset: CHARSET,
    // A server must not read files of this machine; and a name before a space
    // and a bracket is not a function.
    flags: ["FOUND_ROWS", "-LOCAL_FILES", "-IGNORE_SPACE"],
    rowsAsArray: true,
    dateStrings: true,
    supportBigNumbers: true,
    jsonStrings: true,
    maxPreparedStatements: MAX_STATEMENTS,
    connectTimeout: milliseconds(Math.max(1, definition.pool.acquireTimeout)),
    ...(ssl ? { ssl } : {}),
  };
}

/** Messages to the operator about settings without effect. */
export function remarksOn({ dbEncoding, prepare }: DatabaseDefinition): readonly string[] {
  return [
    ...(dbEncoding === undefined || UNICODE.test(dbEncoding)
      ? []
      : [`db_encoding ${JSON.stringify(dbEncoding)} is not needed: the server converts to and from utf8mb4`]),
    ...(prepare
      ? []
      : ["prepare: false has no effect on MySQL: values are never part of a statement's text"]),
  ];
}

/** Without a host name, the driver would compare the certificate with `localhost`. */
function requireName(address: Address, { rejectUnauthorized, verifyIdentity }: SslOptions): void {
  if ("host" in address && !isIP(address.host)) return;
  if (rejectUnauthorized === false || verifyIdentity === false) return;
  throw new TypeError(
    "ssl checks the server's certificate by its name: give the name as db_host, or set ssl.verifyIdentity to false",
  );
}
