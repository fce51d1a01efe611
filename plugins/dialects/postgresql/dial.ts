/**
 * Opens sockets to a server, encrypted as its definition asks. The driver gets sockets that are ready: it would connect
 * again and again by itself, and say nothing until somebody asks.
 *
 * @module
 */

import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import type { Encryption } from "./encryption.ts";
import { PostgresFailure } from "./failures.ts";

/** Where a server listens. */
export interface Address {
  /** A name, an address, or the directory of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly encryption: Encryption | undefined;
}

/** Milliseconds until a server that does not answer counts as gone. */
const PATIENCE = 10_000;
/** The request for encryption, before anything else is said. */
const SSL_REQUEST = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47);
const ACCEPTED = "S".charCodeAt(0);

/** Rejects with a failure that is `unavailable`, or what is wrong with the server's certificate. */
export async function dial(address: Address): Promise<Socket> {
  const plain = await connected(startPlain(address), "connect");
  plain.setNoDelay(true);
  plain.setKeepAlive(true, 60_000);
  return address.encryption ? await encrypted(plain, address, address.encryption) : plain;
}

function startPlain({ host, port }: Address): Socket {
  return host.startsWith("/")
    ? connectPlain({ path: `${host}/.s.PGSQL.${port}` })
    : connectPlain({ host, port });
}

async function encrypted(plain: Socket, { host }: Address, encryption: Encryption): Promise<Socket> {
  if (!await offersEncryption(plain)) {
    if (!encryption.required) return plain;
    plain.destroy();
    throw new PostgresFailure("unavailable", "The server offers no encryption, and ssl asks for it");
  }
  const { verifies, ca, cert, key } = encryption;
  const options: ConnectionOptions = {
    socket: plain,
    rejectUnauthorized: verifies !== "nothing",
    ...(isIP(host) === 0 && !host.startsWith("/") ? { servername: host } : { host }),
    ...(verifies === "authority" ? { checkServerIdentity: () => undefined } : {}),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
  return await connected(connectTls(options), "secureConnect");
}

async function offersEncryption(socket: Socket): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>();
  socket.once("data", resolve);
  socket.write(SSL_REQUEST);
  const [answer] = await raced(promise, socket);
  return answer === ACCEPTED;
}

async function connected(socket: Socket, event: "connect" | "secureConnect"): Promise<Socket> {
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once(event, resolve);
  await raced(promise, socket);
  return socket;
}

/** What is awaited of a socket, unless it fails, closes or takes too long. */
async function raced<T>(awaited: Promise<T>, socket: Socket): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onError = (error: Error) => reject(error);
  const onClose = () => reject(new PostgresFailure("unavailable", "The server closed the connection"));
  const late = () => reject(new PostgresFailure("unavailable", "The server does not answer"));
  const timer = setTimeout(late, PATIENCE);
  socket.on("error", onError);
  socket.once("close", onClose);
  try {
    return await Promise.race([awaited, promise]);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    socket.off("close", onClose);
    // A socket that was given up may fail once more, with nobody left to tell.
    if (!socket.destroyed) socket.off("error", onError);
  }
}
