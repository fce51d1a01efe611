/**
 * A relay between a client and a server, as a network is: it can swallow what both
 * say without closing a connection.
 *
 * @module
 */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Stands between clients and a server. */
export interface Relay extends AsyncDisposable {
  readonly port: number;
  /** From now on accepts connections and passes nothing on, in either direction. */
  swallow(): void;
  /** From now on passes everything on, for new connections; what it swallowed is lost. */
  recover(): void;
}

/** Listens on a port of its own; `heard` makes what gets the bytes of one client. */
export async function startRelay(
  target: { readonly hostname: string; readonly port: number },
  heard: () => (bytes: Uint8Array) => void = () => () => {},
): Promise<Relay> {
  const sockets = new Set<Socket>();
  let isSwallowing = false;
  const pass = (from: Socket, to: Socket, hear: (bytes: Uint8Array) => void) => {
    from.on("data", (bytes: Uint8Array) => {
      hear(bytes);
      if (!isSwallowing) to.write(bytes);
    });
    from.on("end", () => isSwallowing || to.end());
    from.on("error", () => to.destroy());
    from.on("close", () => {
      sockets.delete(from);
      if (!isSwallowing) to.destroy();
    });
    sockets.add(from);
  };
  const server = createServer((client) => {
    const upstream = connect(target.port, target.hostname);
    pass(client, upstream, heard());
    pass(upstream, client, () => {});
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    swallow: () => isSwallowing = true,
    recover: () => {
      for (const socket of sockets) socket.destroy();
      isSwallowing = false;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
