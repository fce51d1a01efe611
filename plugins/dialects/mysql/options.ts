/**
 * How the driver connects: from a definition and a login to its options.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { resolve } from "node:path";
import type { DatabaseDefinition, Login } from "@/plugins/contract.ts";
import type { ConnectionOptions, SslOptions } from "./driver.ts";

const PORT = 3306;
/** Statements that one connection keeps prepared; a server keeps 16,382 for all of them. */
const MAX_STATEMENTS = 100;
/** The encoding of every connection. */
export const CHARSET = "utf8mb4";
/** Spellings of the one encoding that loses nothing. Servers convert between it and those of columns by themselves. */
const UNICODE = /^utf-?8(mb[34])?$/i;

/** Where a server listens. */
export type Address = { readonly path: string } | { readonly host: string; readonly port: number };

/** A host that starts with a slash is a socket's file. */
export function addressOf({ dbHost = "127.0.0.1", dbPort = PORT }: DatabaseDefinition): Address {
  return dbHost.startsWith("/") ? { path: dbHost } : { host: dbHost, port: dbPort };
}

/** Options of the driver, all but the socket. */
export function connectionOptions(
  definition: DatabaseDefinition,
  login: Login,
  directory: string,
): ConnectionOptions {
  const ssl = readSsl(definition.ssl, directory);
  const address = addressOf(definition);
  if (ssl) requireName(address, ssl);
  return {
    ...("host" in address ? address : { socketPath: address.path }),
    user: login.dbuser,
    password: login.dbpass,
    database: definition.dbName,
    charset: CHARSET,
    // A server must not read files of this machine; and what is written as a function with a space is none.
    flags: ["FOUND_ROWS", "-LOCAL_FILES", "-IGNORE_SPACE"],
    rowsAsArray: true,
    dateStrings: true,
    supportBigNumbers: true,
    jsonStrings: true,
    maxPreparedStatements: MAX_STATEMENTS,
    connectTimeout: Math.max(1, definition.pool.acquireTimeout) * 1000,
    ...(ssl ? { ssl } : {}),
  };
}

/** What an operator should know about settings that have no effect here. */
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

/** The driver would compare a certificate with the name `localhost` where the host has none. */
function requireName(address: Address, { rejectUnauthorized, verifyIdentity }: SslOptions): void {
  if ("host" in address && !isIP(address.host)) return;
  if (rejectUnauthorized === false || verifyIdentity === false) return;
  throw new TypeError(
    "ssl checks the server's certificate by its name: give the name as db_host, or set ssl.verifyIdentity to false",
  );
}

const FLAGS = ["rejectUnauthorized", "verifyIdentity"];
const FILES = ["ca", "cert", "key"];
const TEXTS = ["passphrase", "ciphers", "minVersion", "maxVersion"];

/**
 * `ssl: true`, or an object with the keys of the driver: `ca`, `cert` and `key` (PEM text or a file's name), `passphrase`,
 * `ciphers`, `minVersion`, `maxVersion`, `rejectUnauthorized` and `verifyIdentity`, both true unless they say otherwise.
 */
export function readSsl(ssl: unknown, directory: string): SslOptions | undefined {
  if (ssl === undefined || ssl === null || ssl === false) return undefined;
  if (ssl === true) return { verifyIdentity: true, rejectUnauthorized: true };
  if (typeof ssl !== "object" || Array.isArray(ssl)) {
    throw new TypeError("ssl is neither true, false nor a map of settings");
  }
  const members = Object.entries(ssl).map(([key, value]) => [key, readMember(key, value, directory)]);
  return { verifyIdentity: true, rejectUnauthorized: true, ...Object.fromEntries(members) };
}

function readMember(key: string, value: unknown, directory: string): unknown {
  if (FLAGS.includes(key) && typeof value === "boolean") return value;
  if (TEXTS.includes(key) && typeof value === "string") return value;
  if (FILES.includes(key) && typeof value === "string") return readPem(key, value, directory);
  throw new TypeError(`ssl.${key} is no setting of MySQL, or not of its type`);
}

/** The file's name is not repeated with what the system says: only its key is. */
function readPem(key: string, value: string, directory: string): string {
  if (value.includes("-----BEGIN ")) return value;
  try {
    return readFileSync(resolve(directory, value), "utf-8");
  } catch (error) {
    throw new Error(`ssl.${key} names a file that cannot be read: ${JSON.stringify(value)}`, {
      cause: error,
    });
  }
}
