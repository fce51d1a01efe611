import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { connectionLimit } from "@/core/http/connection_limit.ts";
import { NodeRenewal, RenewingServer } from "@/core/http/renewing_server.ts";
import { SILENT } from "@/core/storage/log.ts";

/** Every look finds too many open files. */
const NONE = { connections: 1000, all: 1000, files: 0 };
function serve(port: number): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, () => new Response("served"));
}

Deno.test("a replaced server closes idle connections and goes on at its port", async () => {
  const replaced = Promise.withResolvers<void>();
  const limit = { ...NONE };
  let count = 0;
  const counted = (port: number) => {
    const server = serve(port);
    if (++count === 2) {
      // Another replacement could cut the request below off.
      limit.files = Infinity;
      replaced.resolve();
    }
    return server;
  };
  const server = new RenewingServer({ serve: counted, port: 0, limit, log: SILENT });
  using idle = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
  assert.equal(await idle.read(new Uint8Array(1)), null);
  await replaced.promise;
  assert.equal(await (await fetch(`http://127.0.0.1:${server.port}/`)).text(), "served");
  await server.end();
});

Deno.test("a port that cannot be had again is lost (deno)", async () => {
  let isTaken = false;
  const once = (port: number) => {
    if (isTaken) throw new Deno.errors.AddrInUse("Taken");
    isTaken = true;
    return serve(port);
  };
  const server = new RenewingServer({ serve: once, port: 0, limit: NONE, log: SILENT, patience: 1 });
  const { message } = await server.lost;
  assert.equal(message, `Cannot listen on port ${server.port} any more: AddrInUse: Taken`);
  await server.end();
});

Deno.test("a port that cannot be had again is lost (node)", async () => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const address = { host: "127.0.0.1", port: taken.addr.port, reusePort: false };
  using renewal = new NodeRenewal(server, address, { limit: NONE, log: SILENT, patience: 1 });
  assert.match((await renewal.lost).message, /^Cannot listen on port \d+ any more: .*EADDRINUSE/);
});

for (
  const [wanted, hardLimit, workers, expected] of [
    [undefined, 1024, 1, { connections: 768, all: 768, files: 896 }],
    [undefined, 256, 1, { connections: 128, all: 128, files: 192 }],
    [undefined, 1024, 4, { connections: 192, all: 768, files: 896 }],
    [100, 1024, 1, { connections: 100, all: 100, files: 896 }],
    [5000, 1024, 1, { connections: 768, all: 768, files: 896 }],
    [1, 1024, 4, { connections: 1, all: 1, files: 896 }],
  ] as const
) {
  Deno.test(`${wanted ?? "no"} wanted connections, ${hardLimit} open files and ${workers} workers`, () => {
    assert.deepEqual(connectionLimit(wanted, { hardLimit, workers }), expected);
  });
}
