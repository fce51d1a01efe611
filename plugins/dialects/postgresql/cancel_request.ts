/**
 * Asks a server to give up what one of its connections is running.
 *
 * @module
 */

import { type Address, dial } from "./dial.ts";
import { within } from "./within.ts";

/** What the server calls a connection, and what proves that it is ours. */
export interface Backend {
  readonly pid: number;
  readonly secret: number;
}

/** Milliseconds that a server has to take the request. */
const PATIENCE = 1000;
/** `CancelRequest` of the protocol: its length, its code, then the backend. */
const LENGTH = 16;
const CODE = 80877102;

/** The server says nothing to it. Rejects where it takes no connection. */
export async function requestCancel(address: Address, { pid, secret }: Backend): Promise<void> {
  const message = new DataView(new ArrayBuffer(LENGTH));
  [LENGTH, CODE, pid, secret].forEach((word, at) => message.setUint32(at * 4, word));
  const socket = await dial(address);
  const closed = Promise.withResolvers<void>();
  socket.on("error", () => closed.resolve());
  socket.on("close", () => closed.resolve());
  socket.on("data", () => {});
  // Not ended from here: a pooler forgets the request of a client that has left.
  socket.write(new Uint8Array(message.buffer));
  await within(closed.promise, PATIENCE);
  socket.destroy();
}
