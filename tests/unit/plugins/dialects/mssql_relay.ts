/**
 * A relay between a client and the server that records the client's requests.
 *
 * @module
 */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { Requests } from "./mssql_requests.ts";

/** Stands between a client and a real server, and passes everything on. */
export interface Relay extends AsyncDisposable {
  /** The server's, with the port of the relay. */
  readonly url: URL;
  /** The packets in order, over all connections. Encrypted packets are left out. */
  readonly requests: readonly string[];
}

/** Listens on its own port for connections to `target`. */
export async function startRelay(target: URL): Promise<Relay> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 1433), target.hostname);
    const inbox = new Requests((request) => requests.push(request));
    client.on("data", (bytes: Uint8Array) => inbox.add(bytes));
    join(client, upstream);
    for (const socket of [client, upstream]) sockets.add(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url,
    requests,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** The end of one side ends the other. */
function join(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one);
  one.on("error", () => other.destroy()).on("close", () => other.destroy());
  other.on("error", () => one.destroy()).on("close", () => one.destroy());
}
