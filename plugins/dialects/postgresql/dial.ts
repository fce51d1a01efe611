/**
 * Opens sockets to a server, encrypted according to its definition. The driver gets open sockets: by itself
 * it would reconnect repeatedly, and report failures only on use.
 *
 * @module
 */

import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { bounded } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure, otherProtocol, silent } from "@/plugins/kit/database_failure.ts";
import { settlesWithin } from "@/plugins/kit/deadline.ts";
import type { Encryption } from "./encryption.ts";

/** The address of a server. */
export interface Address {
  /** A name, an address, or the directory of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly encryption: Encryption | undefined;
}

/** Seconds until an unresponsive server counts as gone. */
const PATIENCE = 10;
/** The request for encryption, the first message. */
const SSL_REQUEST = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47);
const ACCEPTED = "S".charCodeAt(0);
const REFUSED = "N".charCodeAt(0);
/** The error of a server that does not know the request. */
const FAILED = "E".charCodeAt(0);

/**
 * Rejects if the first byte from a server is none of a PostgreSQL's:
 * authentication, an error, a notice, a version.
 */
export function requireProtocol(socket: Socket): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  socket.once("data", (bytes: Uint8Array) => {
    if (!/^[RENv]/.test(String.fromCharCode(bytes[0] ?? 0))) reject(otherProtocol("PostgreSQL"));
  });
  return promise;
}

/** Rejects as `unavailable`, or with the mistake in the server's certificate. */
export async function dial({ host, port, encryption }: Address): Promise<Socket> {
  const place = host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  const plain = await connected(connectPlain(place), "connect");
  plain.setNoDelay(true);
  plain.setKeepAlive(true, 60_000);
  return encryption ? await encrypted(plain, host, encryption) : plain;
}

async function encrypted(plain: Socket, host: string, encryption: Encryption): Promise<Socket> {
  if (!await offersEncryption(plain)) {
    if (!encryption.required) return plain;
    plain.destroy();
    throw new DatabaseFailure("unavailable", "The server offers no encryption, and ssl asks for it");
  }
  const { required: _, verifies, ...pem } = encryption;
  const options: ConnectionOptions = {
    socket: plain,
    rejectUnauthorized: verifies !== "nothing",
    ...(isIP(host) === 0 && !host.startsWith("/") ? { servername: host } : { host }),
    ...(verifies === "authority" ? { checkServerIdentity: () => undefined } : {}),
    ...pem,
  };
  return await connected(connectTls(options), "secureConnect");
}

async function offersEncryption(socket: Socket): Promise<boolean> {
  const first = Promise.withResolvers<Uint8Array>();
  socket.once("data", first.resolve);
  socket.write(SSL_REQUEST);
  const [answer] = await raced(first.promise, socket);
  if (answer !== ACCEPTED && answer !== REFUSED && answer !== FAILED) throw otherProtocol("PostgreSQL");
  return answer === ACCEPTED;
}

async function connected(socket: Socket, event: "connect" | "secureConnect"): Promise<Socket> {
  const done = Promise.withResolvers<void>();
  socket.once(event, done.resolve);
  await raced(done.promise, socket);
  return socket;
}

/** Waits for an event of a socket, unless it fails, closes or takes too long. */
async function raced<T>(awaited: Promise<T>, socket: Socket): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onClose = () => reject(new DatabaseFailure("unavailable", "The server closed the connection"));
  socket.on("error", reject);
  socket.once("close", onClose);
  try {
    return await bounded(Promise.race([awaited, promise]), {
      seconds: PATIENCE,
      expired: () => silent(PATIENCE),
    });
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    socket.off("close", onClose);
    // A discarded socket may fail once more; that error is ignored.
    if (!socket.destroyed) socket.off("error", reject);
  }
}

/** The server's id of a connection, and the secret that authorises the request. */
export interface Backend {
  readonly pid: number;
  readonly secret: number;
}

/** Milliseconds that a server has to accept the request. */
const CANCEL_PATIENCE = 1000;
/** `CancelRequest` of the protocol: its length, its code, then the backend. */
const LENGTH = 16;
const CODE = 80877102;

/** Asks a server to cancel a statement; the server sends no answer. Rejects if it accepts no connection. */
export async function requestCancel(address: Address, { pid, secret }: Backend): Promise<void> {
  const message = new DataView(new ArrayBuffer(LENGTH));
  [LENGTH, CODE, pid, secret].forEach((word, at) => message.setUint32(at * 4, word));
  const socket = await dial(address);
  const closed = Promise.withResolvers<void>();
  socket.on("error", () => closed.resolve());
  socket.on("close", () => closed.resolve());
  socket.on("data", () => {});
  // The server ends the connection: a pooler drops the request of a client that has disconnected.
  socket.write(new Uint8Array(message.buffer));
  await settlesWithin(closed.promise, CANCEL_PATIENCE);
  socket.destroy();
}
