import assert from "node:assert/strict";
import plugin from "@/plugins/caches/memcached/mod.ts";
import { Memcached } from "@/plugins/caches/memcached/memcached.ts";
import { testCache } from "@/tests/conformance/cache.ts";
import { HAS_MEMCACHED, startMemcached, type TestCache } from "@/tests/support/memcached.ts";
import { freePort } from "@/tests/support/servers/programs.ts";
import { shared } from "@/tests/support/service.ts";
import { answer, answerText, testBadServers } from "./bad_servers.ts";

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
    assert.equal(await cache.add("k", "v", { seconds: 60 }), true);
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

/** An answer without a body to the request with this number. */
function bare(first: readonly number[], number: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(24);
  bytes.set(first);
  bytes.set(number, 12);
  return bytes;
}

testBadServers("memcached", [
  ["sends half an answer", answer(() => Uint8Array.of(0x81, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 99))],
  ["speaks another protocol", answerText("HTTP/1.1 400 Bad Request\r\n\r\n".repeat(100))],
  ["answers something nobody asked", answer(() => bare([0x81], [0x7f, 0xff, 0xff, 0x01]))],
  ["refuses", answer((request) => bare([0x81, 0, 0, 0, 0, 0, 0, 0x82], request.subarray(12, 16)))],
], { open: (address) => new Memcached(address, 50), version: "01".repeat(8) });
