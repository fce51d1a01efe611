/**
 * Opens the sockets of connections. A server that refuses a login sends the reason and closes at once, and the driver
 * does not read the reason if it sees the end first: so it sees the end a little later.
 *
 * @module
 */

import { lookup } from "node:dns/promises";
import { connect, type Socket } from "node:net";

/** The address of a server. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Milliseconds in which the driver can read the data before the end. */
const PAUSE = 100;

/**
 * Tries the addresses of a name one after another. Rejects with the error of the last one, or with the signal's reason.
 */
export async function dial({ host, port }: Address, signal: AbortSignal): Promise<Socket> {
  const over = aborted(signal);
  const addresses = await Promise.race([lookup(host, { all: true }), over]);
  let failure: unknown = new Error(`There is no address of ${host}`);
  for (const { address } of addresses) {
    try {
      return await open({ host: address, port }, over);
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
    }
  }
  throw failure;
}

function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  if (signal.aborted) reject(signal.reason);
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return promise;
}

async function open(address: Address, over: Promise<never>): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect(address);
  socket.once("connect", resolve);
  socket.once("error", reject);
  try {
    await Promise.race([promise, over]);
    socket.off("error", reject);
    return holdBackEnd(socket);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function holdBackEnd(socket: Socket): Socket {
  const emit = socket.emit.bind(socket);
  const emitLater: typeof emit = (event: string, ...details: unknown[]) => {
    if (event !== "end") return emit(event, ...details);
    const timer = setTimeout(() => emit(event), PAUSE);
    socket.once("close", () => clearTimeout(timer));
    return true;
  };
  socket.emit = emitLater;
  return socket;
}
