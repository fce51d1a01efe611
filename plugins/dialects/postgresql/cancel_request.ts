/**
 * Asks a server to cancel the statement of a connection.
 *
 * @module
 */

import { settlesWithin } from "@/plugins/kit/deadline.ts";
import { type Address, dial } from "./dial.ts";

/** The server's id of a connection, and the secret that authorises the request. */
export interface Backend {
  readonly pid: number;
  readonly secret: number;
}

/** Milliseconds that a server has to accept the request. */
const PATIENCE = 1000;
/** `CancelRequest` of the protocol: its length, its code, then the backend. */
const LENGTH = 16;
const CODE = 80877102;

/** The server does not answer it. Rejects if the server accepts no connection. */
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
  await settlesWithin(closed.promise, PATIENCE);
  socket.destroy();
}
