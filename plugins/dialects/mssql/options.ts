/**
 * From a database's definition to the driver's configuration, with the sockets of its connections.
 *
 * `ssl` is `true` (encrypted, and the certificate is checked), `false` (the default) or a mapping:
 *
 * | key | means |
 * |---|---|
 * | `ca` | certificates in PEM form, or the file that holds them, that the server's certificate must lead to |
 * | `verify` | `false` takes any certificate; default `true` |
 * | `server_name` | the name in the certificate, where it differs from `db_host` |
 * | `strict` | `true` encrypts from the first byte on, as TDS 8 does; default `false` |
 *
 * @module
 */

import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { resolve } from "node:path";
import type { ConnectionConfiguration, ConnectionOptions } from "tedious";
import type { DatabaseDefinition, DialectHost, Login } from "@/plugins/contract.ts";
import { bounded, milliseconds } from "@/plugins/kit/bounded.ts";
import { otherProtocol } from "@/plugins/kit/database_failure.ts";
import { readPem } from "@/plugins/kit/pem.ts";

const DEFAULT_PORT = 1433;
/** Milliseconds to wait until the server has cancelled a statement. */
const CANCEL_TIMEOUT = 2000;

/** The options of one login; `encryption` comes from {@link readEncryption}. */
export function configurationOf(
  definition: DatabaseDefinition,
  login: Login,
  encryption: ConnectionOptions,
): ConnectionConfiguration {
  const address: Address = {
    host: definition.dbHost ?? "localhost",
    port: definition.dbPort ?? DEFAULT_PORT,
  };
  const connectTimeout = milliseconds(Math.max(1, definition.pool.acquireTimeout));
  return {
    server: address.host,
    authentication: { type: "default", options: { userName: login.dbuser, password: login.dbpass } },
    options: {
      port: address.port,
      // The driver passes the new address when a server redirects.
      connector: (target = address, _lookup?: unknown, signal = AbortSignal.timeout(connectTimeout)) =>
        dial(target, signal),
      database: definition.dbName,
      appName: "rowhouse",
      connectTimeout,
      cancelTimeout: CANCEL_TIMEOUT,
      // Statements have their own limit, which includes the wait for a connection.
      requestTimeout: 0,
      maxRetriesOnTransientErrors: 0,
      useUTC: true,
      ...encryption,
    },
  };
}

/** The meaning of `ssl` in a definition. Throws for an invalid one. */
export async function readEncryption(
  ssl: unknown,
  { directory }: Pick<DialectHost, "directory">,
): Promise<ConnectionOptions> {
  if (ssl === undefined || ssl === null || ssl === false) return { encrypt: false };
  if (ssl === true) return { encrypt: true };
  if (typeof ssl !== "object" || Array.isArray(ssl)) throw wrong("ssl", "true, false or a mapping");
  requireMembers(ssl);
  const { ca, verify, server_name: serverName, strict } = ssl;
  return {
    encrypt: strict === true ? "strict" : true,
    trustServerCertificate: verify === false,
    ...(serverName === undefined ? {} : { serverName }),
    ...(ca === undefined
      ? {}
      : { cryptoCredentialsDetails: { ca: await readPem(ca, "ssl.ca", resolve(directory, ca)) } }),
  };
}

interface SslMembers {
  readonly ca?: string;
  readonly verify?: boolean;
  readonly server_name?: string;
  readonly strict?: boolean;
}

const TEXTS = ["ca", "server_name"];
const FLAGS = ["verify", "strict"];

function requireMembers(members: object): asserts members is SslMembers {
  for (const [key, value] of Object.entries(members)) {
    if (TEXTS.includes(key)) {
      if (typeof value !== "string" || value === "") throw wrong(`ssl.${key}`, "text");
    } else if (!FLAGS.includes(key)) {
      throw wrong(`ssl.${key}`, "one of ca, verify, server_name, strict as its key");
    } else if (typeof value !== "boolean") throw wrong(`ssl.${key}`, "true or false");
  }
}

function wrong(key: string, expected: string): Error {
  return new Error(`Cannot use "${key}" of the database's definition: expected ${expected}`);
}

/** The address of a server. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Milliseconds in which the driver can read the data before the end. */
const PAUSE = 100;

/**
 * Tries the addresses of a name one after another. Rejects with the error of the last
 * one, or with the signal's reason.
 */
async function dial({ host, port }: Address, signal: AbortSignal): Promise<Socket> {
  const none = () => new Error(`There is no address of ${host}`);
  const looking = { signal, seconds: 0, expired: none, giveUp: () => {} };
  const addresses = await bounded(lookup(host, { all: true }), looking);
  let failure: unknown = none();
  for (const { address } of addresses) {
    try {
      return await open({ host: address, port }, signal);
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
    }
  }
  throw failure;
}

async function open(address: Address, signal: AbortSignal): Promise<Socket> {
  const socket = connect(address);
  try {
    await once(socket, "connect", { signal });
    return watched(socket);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** The first byte of an answer: of a message of the server, or of TLS (an alert, a handshake). */
const ANSWERS: ReadonlySet<number | undefined> = new Set([4, 21, 22]);

/**
 * Ends a connection whose first answer is in another protocol: the driver would wait for the rest of it.
 *
 * A server that refuses a login sends the reason and closes at once. The driver does not read the reason if
 * it sees the end first, so it sees the end a little later.
 */
function watched(socket: Socket): Socket {
  const emit = socket.emit.bind(socket);
  let isKnown = false;
  const emitWatched: typeof emit = (event: string, ...details: unknown[]) => {
    const [bytes] = details;
    if (event === "data" && !isKnown && bytes instanceof Uint8Array) {
      isKnown = ANSWERS.has(bytes[0]);
      if (!isKnown) socket.destroy(otherProtocol("TDS, the protocol of SQL Server"));
      return isKnown && emit(event, bytes);
    }
    if (event !== "end") return emit(event, ...details);
    const timer = setTimeout(() => emit(event), PAUSE);
    socket.once("close", () => clearTimeout(timer));
    return true;
  };
  socket.emit = emitWatched;
  return socket;
}
