/**
 * Opens the sockets of connections. A server that refuses a login sends the reason and closes at once, and the driver
 * does not read the reason if it sees the end first: so it sees the end a little later.
 *
 * @module
 */

import { once } from "node:events";
import { lookup } from "node:dns/promises";
import { connect, type Socket } from "node:net";
import { bounded } from "@/plugins/kit/bounded.ts";

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
