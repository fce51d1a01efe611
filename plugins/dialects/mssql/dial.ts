/**
 * Opens sockets to a server.
 *
 * @module
 */

import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { bounded } from "@/plugins/kit/bounded.ts";
import { otherProtocol } from "@/plugins/kit/database_failure.ts";

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
export async function dial({ host, port }: Address, signal: AbortSignal): Promise<Socket> {
  const none = () => new Error(`There is no address of ${host}`);
  const looking = { signal, seconds: 0, expired: none };
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
