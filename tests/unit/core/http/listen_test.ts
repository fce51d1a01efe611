import assert from "node:assert/strict";
import { Server as NodeServer } from "node:http";
import { ClientMemory } from "@/core/base/client_memory.ts";
import { Hono } from "hono";
import type { Bindings } from "@/core/http/app.ts";
import { readText } from "@/core/request/body.ts";
import { ServiceError } from "@/core/errors.ts";
import { sendBody } from "@/core/respond/send_body.ts";
import { listen, type ListenOptions, type Server } from "@/core/http/listen.ts";
import { SILENT } from "@/core/storage/log.ts";
import { TimerQueue } from "@/plugins/kit/timer_queue.ts";

const ADAPTERS = ["deno", "node"] as const;
const LIMIT = { connections: 1000, all: 1000, files: 10_000 };
async function start(
  handle: (request: Request) => Response | Promise<Response>,
  options: Partial<ListenOptions> = {},
): Promise<Server & AsyncDisposable> {
  const app = new Hono<{ Bindings: Bindings }>().all("*", (context) => handle(context.req.raw));
  const server = await listen(app, {
    host: "127.0.0.1",
    port: 0,
    adapter: "node",
    shared: false,
    limit: LIMIT,
    log: SILENT,
    stopping: new AbortController().signal,
    ...options,
  });
  return { ...server, [Symbol.asyncDispose]: () => server.stop(0) };
}

async function connect(port: number, text: string): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(text));
  return connection;
}

/** The data until the other side closes or resets the connection. */
async function readAll(connection: Deno.Conn): Promise<string> {
  let text = "";
  const piece = new Uint8Array(65536);
  try {
    for (let count = await connection.read(piece); count !== null; count = await connection.read(piece)) {
      text += new TextDecoder().decode(piece.subarray(0, count));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.ConnectionReset)) throw error;
  }
  return text;
}

/** The data until it ends with this text. */
async function readUntil(connection: Deno.Conn, end: string): Promise<string> {
  const piece = new Uint8Array(65536);
  for (let text = "";;) {
    const count = await connection.read(piece);
    if (count === null) return text;
    text += new TextDecoder().decode(piece.subarray(0, count));
    if (text.endsWith(end)) return text;
  }
}

/** The answer of a stopping server to a new connection. */
async function askLate(port: number): Promise<string> {
  try {
    using connection = await connect(port, REQUEST.replace(" / ", " /late "));
    return await readAll(connection);
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionRefused || error instanceof Deno.errors.ConnectionReset) {
      return "";
    }
    throw error;
  }
}

const REQUEST = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

Deno.test("the node adapter ends a connection that sends half a header", async () => {
  await using server = await start(() => new Response("never"), { headersTimeout: 100 });
  using connection = await connect(server.port, "GET / HTTP/1.1\r\nHost: x\r\nX-Half");
  assert.match(await readAll(connection), /^HTTP\/1\.1 408 /);
});

Deno.test("the node adapter ends no body after five minutes", async () => {
  const { listen: begin } = NodeServer.prototype;
  const limits: number[] = [];
  NodeServer.prototype.listen = function (this: NodeServer, ...place: unknown[]) {
    limits.push(this.requestTimeout);
    return Reflect.apply(begin, this, place);
  };
  try {
    await using _server = await start(() => new Response("x"));
  } finally {
    Reflect.deleteProperty(NodeServer.prototype, "listen");
  }
  assert.deepEqual(limits, [0]);
});

Deno.test("the node adapter leaves the global Response as it is", async () => {
  const before = globalThis.Response;
  await using _server = await start(() => new Response("x"));
  assert.equal(globalThis.Response, before);
});

for (const adapter of ADAPTERS) {
  Deno.test(`a request in flight is finished before the server stops (${adapter})`, async () => {
    const asked = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const server = await start(async (request) => {
      if (request.url.endsWith("/late")) return new Response("accepted");
      asked.resolve();
      await go.promise;
      return new Response("finished");
    }, { adapter });
    using connection = await connect(server.port, REQUEST);
    await asked.promise;
    const stopped = server.stop(60_000);
    assert.equal(await askLate(server.port), "");
    go.resolve();
    assert.match(await readAll(connection), /\r\n\r\n[^]*finished/);
    await stopped;
  });

  Deno.test(`a request that outlasts the grace does not hold up the stop (${adapter})`, async () => {
    const asked = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const server = await start(async () => {
      asked.resolve();
      await go.promise;
      return new Response("too late");
    }, { adapter });
    using connection = await connect(server.port, REQUEST);
    await asked.promise;
    await server.stop(1);
    go.resolve();
    await readAll(connection);
  });

  Deno.test(`an idle connection does not hold up the stop (${adapter})`, async () => {
    const server = await start(() => new Response("x"), { adapter });
    using connection = await connect(server.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await connection.read(new Uint8Array(1000));
    await server.stop(60_000);
    await readAll(connection);
  });

  for (const host of ["127.0.0.1", "::1"]) {
    Deno.test(`a request tells which address it comes from (${adapter}, ${host})`, async () => {
      let peer: string | undefined;
      const app = {
        fetch(_request: Request, bindings: Bindings = {}) {
          peer = bindings.peer;
          return new Response("x");
        },
      };
      const { signal: stopping } = new AbortController();
      const options = { host, port: 0, adapter, shared: false, limit: LIMIT, log: SILENT, stopping };
      const server = await listen(app, options);
      using connection = await Deno.connect({ hostname: host, port: server.port });
      await connection.write(new TextEncoder().encode(REQUEST));
      await readAll(connection);
      assert.equal(peer, host);
      await server.stop(0);
    });
  }

  Deno.test(`a port in use is a refusal that names it (${adapter})`, async () => {
    using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = taken.addr;
    await assert.rejects(
      start(() => new Response("x"), { adapter, port }),
      (error: unknown) =>
        error instanceof ServiceError &&
        error.message ===
          `Cannot listen on 127.0.0.1:${port}: the port is in use: choose another with --port`,
    );
  });

  Deno.test(`HEAD has the headers of GET but no length of 0 (${adapter})`, async () => {
    await using server = await start(() => {
      return new Response(null, { headers: { "Content-Type": "text/plain" } });
    }, { adapter });
    using connection = await connect(server.port, REQUEST.replace("GET", "HEAD"));
    const head = await readAll(connection);
    assert.match(head, /^content-type: text\/plain\r$/im);
    assert.doesNotMatch(head, /^content-length/im);
  });
}

for (const adapter of ADAPTERS) {
  Deno.test(`a client that takes nothing of its answer is cut off (${adapter})`, async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const source = { next: () => new Uint8Array(65536), end };
    const body = () => sendBody(source, { log: SILENT, patience: 100 });
    await using server = await start(() => new Response(body()), { adapter });
    using connection = await connect(server.port, REQUEST);
    await ended;
    // On Node's server the connection ends as well, after the data that the system has buffered.
    if (adapter === "node") assert.doesNotMatch(await readAll(connection), /\r\n0\r\n\r\n$/);
  });
}

// The last tests of the file: the packages' Node server watches for the rest of the body a while longer, and
// its timer would count as a leak of the test that runs next.
for (const adapter of ADAPTERS) {
  for (const kind of ["stream", "whole"] as const) {
    Deno.test({
      name: `a body of which nothing comes is answered with 408 (${adapter}, ${kind})`,
      sanitizeOps: false,
      sanitizeResources: false,
      fn: async () => {
        await using server = await start(async (request) => {
          try {
            return new Response(
              await readText({
                ...(kind === "stream"
                  ? { body: request.body }
                  : { body: null, whole: () => request.arrayBuffer() }),
                room: new ClientMemory(2 ** 30).open("x"),
              }, { limit: 9, label: "x", charset: "utf-8", silence: new TimerQueue(500) }),
            );
          } catch (error) {
            if (!(error instanceof ServiceError)) throw error;
            return new Response(error.message, { status: error.status, headers: error.headers });
          }
        }, { adapter });
        using connection = await connect(
          server.port,
          "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab",
        );
        // Only Node's server ends the connection as well; with `Deno.serve` it is idle from then on.
        const answer = adapter === "node" ? await readAll(connection) : await readUntil(connection, "again");
        assert.match(answer, /^HTTP\/1\.1 408 /);
        const reason = kind === "stream"
          ? "Nothing of the body has come for 0.5 seconds"
          : "The body comes too slowly";
        assert.ok(answer.endsWith(`${reason}: send it again`), answer);
      },
    });
  }
}
