/**
 * A relay between a client and the server that records the client's requests.
 *
 * @module
 */

import { startRelay as startPlain } from "@/tests/support/relay.ts";
import { Requests } from "./requests.ts";

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
  const relay = await startPlain({ hostname: target.hostname, port: Number(target.port || 1433) }, () => {
    const inbox = new Requests((request) => requests.push(request));
    return (bytes) => inbox.add(bytes);
  });
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String(relay.port);
  return { url, requests, [Symbol.asyncDispose]: () => relay[Symbol.asyncDispose]() };
}
