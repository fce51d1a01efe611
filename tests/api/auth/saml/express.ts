/**
 * The part of Express that samlp needs: requests with their fields, and answers.
 *
 * @module
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { ExpressRequest, ExpressResponse } from "@/tests/support/packages/samlp.d.ts";

/** Answers one request. */
export type Handler = (request: ExpressRequest, response: ExpressResponse) => void | Promise<void>;

/** A server on a free loopback port. */
export interface HandlerServer extends AsyncDisposable {
  readonly port: number;
}

/** Starts the server; an exception of `handle` becomes a 500 with the reason. */
export async function serveHandler(handle: Handler): Promise<HandlerServer> {
  const session: Record<string, unknown> = {};
  const server = createServer((raw, answer) => {
    const response = expressResponse(answer);
    void expressRequest(raw, session).then((request) => handle(request, response)).catch((error: unknown) =>
      response.send(500, String(error))
    );
  });
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await listening;
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return {
    port: address.port,
    async [Symbol.asyncDispose]() {
      const { promise: closed, resolve: close } = Promise.withResolvers<void>();
      server.close(() => close());
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The test has one browser, so one session suffices. */
async function expressRequest(
  raw: IncomingMessage,
  session: Record<string, unknown>,
): Promise<ExpressRequest> {
  const target = new URL(raw.url ?? "/", "http://provider.invalid");
  const chunks: Uint8Array[] = [];
  for await (const chunk of raw) chunks.push(chunk);
  const body = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
  const query = Object.fromEntries(target.searchParams);
  return Object.assign(raw, { query, body, originalUrl: raw.url ?? "/", protocol: "http", session });
}

function expressResponse(answer: ServerResponse): ExpressResponse {
  return {
    set: (name, value) => void answer.setHeader(name, value),
    send(statusOrBody, body = "") {
      if (typeof statusOrBody === "number") answer.writeHead(statusOrBody).end(body);
      else answer.end(statusOrBody);
    },
    redirect: (url) => void answer.writeHead(302, { Location: url }).end(),
  };
}
