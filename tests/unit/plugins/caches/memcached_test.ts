import assert from "node:assert/strict";
import plugin from "@/plugins/caches/memcached/mod.ts";
import { Memcached } from "@/plugins/caches/memcached/memcached.ts";
import { testCache } from "@/tests/conformance/cache.ts";
import { BadServer } from "@/tests/support/bad_server.ts";
import { HAS_MEMCACHED, startMemcached, type TestCache } from "@/tests/support/memcached.ts";
import { freePort } from "@/tests/support/servers/programs.ts";
import { shared } from "@/tests/support/service.ts";

const LIFE = { seconds: 60 };
const missing = HAS_MEMCACHED ? undefined : "memcached is not installed";
const server: () => TestCache = shared(() => startMemcached(), missing);

testCache("memcached", () => plugin, {
  location: () => server().address,
  nowhere: `127.0.0.1:${freePort()}`,
  wrong: [
    "cache.example",
    "cache.example:port",
    "cache.example:65536",
    "user:secret@cache.example:11211",
    "memcached://cache.example:11211",
  ],
  secrets: ["secret"],
  server,
  missing,
});

Deno.test({
  name: "an IPv6 address is one, too",
  ignore: missing !== undefined,
  async fn() {
    await using own = await startMemcached("::1");
    assert.match(own.address, /^\[::1\]:\d+$/);
    await using cache = plugin.setup().open(own.address);
    assert.equal(await cache.add("k", "v", LIFE), true);
  },
});

Deno.test({
  name: "a lifetime beyond the last date of the server is as long as it can be",
  ignore: missing !== undefined,
  async fn() {
    await using cache = plugin.setup().open(server().address);
    assert.equal(await cache.add("for ever", "v", { seconds: 9_999_999_999 }), true);
    assert.equal((await cache.get("for ever"))?.value, "v");
    await cache.remove("for ever");
  },
});

const BAD_SERVERS: readonly [what: string, serve: (connection: Deno.Conn) => Promise<void>][] = [
  ["never answers", async (connection) => void await connection.read(new Uint8Array(1000))],
  ["closes the connection at once", (connection) => Promise.resolve(connection.close())],
  ["closes it instead of answering", async (connection) => {
    await connection.read(new Uint8Array(1000));
    connection.close();
  }],
  ["sends half an answer", async (connection) => {
    await connection.read(new Uint8Array(1000));
    await connection.write(Uint8Array.of(0x81, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 99));
  }],
  ["speaks another protocol", async (connection) => {
    await connection.read(new Uint8Array(1000));
    await connection.write(new TextEncoder().encode("HTTP/1.1 400 Bad Request\r\n\r\n".repeat(100)));
  }],
  ["answers something nobody asked", async (connection) => {
    await connection.read(new Uint8Array(1000));
    const answer = new Uint8Array(24);
    answer.set([0x81, 0, 0, 0], 0);
    answer.set([0x7f, 0xff, 0xff, 0x01], 12);
    await connection.write(answer);
  }],
  ["refuses", async (connection) => {
    const request = new Uint8Array(1000);
    await connection.read(request);
    const answer = new Uint8Array(24);
    answer.set([0x81, 0, 0, 0, 0, 0, 0, 0x82], 0);
    answer.set(request.subarray(12, 16), 12);
    await connection.write(answer);
  }],
];

for (const [what, serve] of BAD_SERVERS) {
  Deno.test(`a memcached that ${what} fails every request`, async () => {
    await using bad = new BadServer(serve);
    await using cache = new Memcached(bad.address, 50);
    await assert.rejects(cache.get("k"));
    await Promise.all([
      assert.rejects(cache.add("k", "v", LIFE)),
      assert.rejects(cache.replace("k", "v", { ...LIFE, version: "01".repeat(8) })),
      assert.rejects(cache.touch("k", LIFE)),
      assert.rejects(cache.remove("k")),
    ]);
  });
}
