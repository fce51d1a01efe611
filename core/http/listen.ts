/**
 * Serves an application: with `Deno.serve`, or with Node's HTTP server, which closes connections
 * that send their headers too slowly.
 *
 * @module
 */

import { createAdaptorServer } from "@hono/node-server";
import { Server as NodeServer } from "node:http";
import { type Eventual, whenThere } from "@/core/base/eventual.ts";
import { ServiceError } from "@/core/errors.ts";
import { isStreamed } from "@/core/respond/respond_rows.ts";
import type { Log } from "@/plugins/contract.ts";
import { settlesWithin } from "@/plugins/kit/deadline.ts";
import { type App, type Bindings, targetOf } from "./app.ts";
import { BODYLESS, compressResponse } from "./compress.ts";
import type { ConnectionLimit } from "./connection_limit.ts";
import { drainBody } from "./drain_body.ts";
import { Pipelines } from "./pipelining.ts";
import { NodeRenewal, RenewingServer } from "./renewing_server.ts";

/** The address, and the server adapter. */
export interface ListenOptions {
  /** An address or a name. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly adapter: "deno" | "node";
  /** Several workers listen on one port. */
  readonly shared: boolean;
  readonly limit: ConnectionLimit;
  readonly log: Log;
  /** Aborted when clients shall open no further connections here. */
  readonly stopping: AbortSignal;
  /** Milliseconds for a request's headers, for adapters that can limit them. Default: 20,000. */
  readonly headersTimeout?: number;
}

/** A running server. */
export interface Server {
  readonly port: number;
  /** Resolves with the reason when connections cannot be accepted any more. */
  readonly lost: Promise<Error>;
  /**
   * Stops accepting and waits for running requests; cuts off those that last longer than `grace`
   * milliseconds. May be called again.
   */
  stop(grace: number): Promise<void>;
}

const HEADERS_TIMEOUT = 20_000;

/** Throws a {@link ServiceError} that tells the operator why the address is unavailable. */
export async function listen(app: App, options: ListenOptions): Promise<Server> {
  try {
    return options.adapter === "deno" ? listenDeno(app, options) : await listenNode(app, options);
  } catch (cause) {
    throw new ServiceError("internal", `Cannot listen on ${options.host}:${options.port}: ${reason(cause)}`, {
      cause,
    });
  }
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? error.code : undefined;
  if (error instanceof Deno.errors.AddrInUse || code === "EADDRINUSE") {
    return "the port is in use: choose another with --port";
  }
  // Node's server calls it an invalid argument.
  const isElsewhere = error instanceof Deno.errors.AddrNotAvailable || code === "EINVAL";
  return isElsewhere ? "this machine has no such address: choose another with --host" : error.message;
}

function listenDeno(app: App, options: ListenOptions): Server {
  const { port, limit, log } = options;
  const serve = (port: number) => serveDeno(app, { ...options, port });
  const server = new RenewingServer({ serve, port, limit, log });
  // `Deno.serve` cannot cut connections off during its shutdown: late requests end with the process.
  const stop = async (grace: number) => void await settlesWithin(server.end(), grace);
  return { port: server.port, lost: server.lost, stop };
}

function serveDeno(app: App, { host, port, shared, stopping }: ListenOptions): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({
    hostname: host,
    port,
    reusePort: shared,
    automaticCompression: true,
    onListen: () => {},
    onError: () => new Response("The request failed unexpectedly\n", { status: 500 }),
  }, (request, info) => {
    const made = app.fetch(request, new DenoBindings(info));
    const response = stopping.aborted ? whenThere(made, withClose) : made;
    // Without `await`, which costs a tenth of a read by key.
    return request.method === "GET" ? response : completed(request, response);
  });
}

/** Asks the client to send its next request elsewhere. */
function withClose(response: Response): Response {
  response.headers.set("Connection", "close");
  return response;
}

function completed(request: Request, response: Eventual<Response>): Eventual<Response> {
  return whenThere(response, (made) => {
    if (request.method === "HEAD") return headOf(made, request.headers.get("accept-encoding"));
    return drainBody(request)?.then(() => made) ?? made;
  });
}

/**
 * The answer to HEAD, with the headers of GET. `Deno.serve` sends a length of 0 if there is no body; and with
 * HTTP/2 what compression makes of one, which ends the stream with an error.
 */
function headOf({ headers, status }: Response, acceptEncoding: string | null): Response {
  const head = compressResponse(new Response(null, { status, headers }), acceptEncoding, true);
  if (!headers.has("content-type") || BODYLESS.includes(status)) return head;
  const empty = new ReadableStream({ start: (controller) => controller.close() });
  return new Response(empty, { status, headers: head.headers });
}

async function listenNode(app: App, options: ListenOptions): Promise<Server> {
  const { host, port, shared, limit, log, stopping, headersTimeout = HEADERS_TIMEOUT } = options;
  const pipelines = new Pipelines();
  const server = createAdaptorServer({
    fetch: async (request, { incoming, outgoing }) => {
      const turn = pipelines.turn(incoming.socket, outgoing);
      if (turn) await turn;
      // The client has left.
      if (incoming.socket.destroyed) return new Response(null, { status: 503 });
      const response = await app.fetch(request, new NodeBindings(incoming));
      const sent = compressResponse(
        response,
        request.headers.get("accept-encoding"),
        request.method === "HEAD",
      );
      // Otherwise Node waits for several chunks before it sends the head.
      if (isStreamed(response) && incoming.httpVersion !== "1.0") {
        sent.headers.set("Transfer-Encoding", "chunked");
      }
      return stopping.aborted ? withClose(sent) : sent;
    },
    // For HTTP 1.0, which does not require a Host.
    hostname: "localhost",
    overrideGlobalObjects: false,
    // Node would end a body after five minutes, however fast it comes, and refuse a path of 500 UUIDs.
    serverOptions: {
      headersTimeout,
      maxHeaderSize: 65_536,
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(1000, headersTimeout),
    },
  });
  if (!(server instanceof NodeServer)) throw new TypeError("Only HTTP 1 is served");
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen({ host, port, reusePort: shared }, resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  const renewal = new NodeRenewal(server, { host, port: address.port, reusePort: shared }, { limit, log });
  return {
    port: address.port,
    lost: renewal.lost,
    stop: async (grace) => {
      renewal[Symbol.dispose]();
      server.close();
      await settlesWithin(pipelines.end(), grace);
      // Also those that have sent only a part of their headers.
      server.closeAllConnections();
    },
  };
}

/** Reads the address on demand, because the server computes it anew each time. */
class DenoBindings implements Bindings {
  readonly #info: Deno.ServeHandlerInfo<Deno.NetAddr>;

  constructor(info: Deno.ServeHandlerInfo<Deno.NetAddr>) {
    this.#info = info;
  }

  get peer(): string {
    return this.#info.remoteAddr.hostname;
  }
}

/** The request's target as sent, and the peer of its connection. */
class NodeBindings implements Bindings {
  readonly target: string;
  readonly takesSlices = true;
  readonly #incoming: Incoming;

  constructor(incoming: Incoming) {
    this.target = targetOf(incoming.url ?? "/");
    this.#incoming = incoming;
  }

  get peer(): string | undefined {
    return this.#incoming.socket.remoteAddress;
  }
}

interface Incoming {
  readonly url?: string | undefined;
  readonly socket: { readonly remoteAddress?: string | undefined };
}
