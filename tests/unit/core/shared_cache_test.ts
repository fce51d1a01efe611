import assert from "node:assert/strict";
import { ServiceError } from "@/core/errors.ts";
import { Memcached } from "@/core/storage/memcached.ts";
import type { SharedCache } from "@/core/storage/shared_cache.ts";
import { TicketStore } from "@/core/identity/sessions/ticket_store.ts";
import type { User } from "@/core/model.ts";
import { createFingerprints } from "@/core/identity/sessions/fingerprint.ts";
import {
  Clock,
  deriveFrom,
  POLICY,
  SECRET,
  TestSessions,
  userNamed,
} from "@/tests/conformance/session_place.ts";
import { freePort, HAS_MEMCACHED, startMemcached } from "@/tests/support/memcached.ts";

const LIFE = { seconds: 60 };

/** The lines of the log. */
class Lines {
  readonly lines: string[] = [];
  readonly info = (line: string): void => void this.lines.push(`INFO ${line}`);
  readonly warn = (line: string): void => void this.lines.push(`WARN ${line}`);
  readonly error = (line: string): void => void this.lines.push(`ERROR ${line}`);
}

function connect(address: string, log = new Lines(), timeout = 10_000): SharedCache {
  return new Memcached({ address, log, purpose: "sessions", timeout });
}

function cacheTest(name: string, fn: () => Promise<void>): void {
  const missing = HAS_MEMCACHED ? "" : " (skipped: memcached is not installed)";
  Deno.test({ name: name + missing, ignore: !HAS_MEMCACHED, fn });
}

function isUnavailable(error: unknown): true {
  assert.ok(error instanceof ServiceError, String(error));
  assert.equal(error.status, 503);
  assert.equal(error.message, "The shared cache is not available at the moment: try again later");
  assert.deepEqual(error.headers, { "Retry-After": "5" });
  return true;
}

async function allUnavailable(uses: readonly Promise<unknown>[]): Promise<void> {
  await Promise.all(uses.map((use) => assert.rejects(use, isUnavailable)));
}

/** Every way to use a cache. */
function usesOf(cache: SharedCache): readonly Promise<unknown>[] {
  return [
    cache.get("k"),
    cache.add("k", "v", LIFE),
    cache.replace("k", "v", { ...LIFE, version: "01".repeat(8) }),
    cache.touch("k", LIFE),
    cache.remove("k"),
  ];
}

cacheTest("a value is kept, added once, and removed", async () => {
  await using server = await startMemcached();
  await using cache = connect(server.address);
  assert.equal(await cache.get("k"), undefined);
  assert.equal(await cache.add("k", "größe \u{1F600}", LIFE), true);
  assert.equal(await cache.add("k", "other", LIFE), false);
  assert.equal((await cache.get("k"))?.value, "größe \u{1F600}");
  assert.equal(await cache.touch("k", LIFE), true);
  await cache.remove("k");
  await cache.remove("k");
  assert.equal(await cache.touch("k", LIFE), false);
  assert.equal(await cache.get("k"), undefined);
});

cacheTest("a value is replaced only while it is the version that was read", async () => {
  await using server = await startMemcached();
  await using one = connect(server.address);
  await using other = connect(server.address);
  await one.add("k", "1", LIFE);
  const read = await one.get("k");
  const version = read?.version ?? "";
  assert.equal(await other.replace("k", "2", { ...LIFE, version }), true);
  assert.equal(await one.replace("k", "3", { ...LIFE, version }), false);
  assert.equal((await one.get("k"))?.value, "2");
  await one.remove("k");
  assert.equal(await one.replace("k", "4", { ...LIFE, version }), false);
});

cacheTest("an IPv6 address is one, too", async () => {
  await using server = await startMemcached("::1");
  assert.match(server.address, /^\[::1\]:\d+$/);
  await using cache = connect(server.address);
  assert.equal(await cache.add("k", "v", LIFE), true);
});

cacheTest("a lifetime beyond a month is no date in the past", async () => {
  await using server = await startMemcached();
  await using cache = connect(server.address);
  await cache.add("k", "v", { seconds: 60 * 60 * 24 * 365 });
  assert.equal((await cache.get("k"))?.value, "v");
});

cacheTest("answers reach who asked, however many ask at once", async () => {
  await using server = await startMemcached();
  await using cache = connect(server.address);
  const keys = Array.from({ length: 200 }, (_, index) => `k${index}`);
  await Promise.all(keys.map((key) => cache.add(key, `value of ${key}`, LIFE)));
  const values = await Promise.all(keys.map(async (key) => (await cache.get(key))?.value));
  assert.deepEqual(values, keys.map((key) => `value of ${key}`));
});

Deno.test("a cache that is down is 503 for everything, and logged once", async () => {
  const log = new Lines();
  const address = `127.0.0.1:${freePort()}`;
  await using cache = connect(address, log);
  await allUnavailable(usesOf(cache));
  await assert.rejects(cache.get("k"), isUnavailable);
  assert.deepEqual(log.lines, [`ERROR The shared cache at ${address} cannot be used for sessions`]);
});

cacheTest("a cache that comes back is used again without a restart", async () => {
  const log = new Lines();
  await using server = await startMemcached();
  await using cache = connect(server.address, log);
  await cache.add("k", "v", LIFE);
  for (let round = 0; round < 3; round++) {
    await server.stop();
    await assert.rejects(cache.get("k"), isUnavailable);
    await server.start();
    assert.equal(await cache.get("k"), undefined);
    assert.equal(await cache.add("k", "v", LIFE), true);
  }
  const down = `ERROR The shared cache at ${server.address} cannot be used for sessions`;
  const up = `INFO The shared cache at ${server.address} can be used for sessions again`;
  assert.deepEqual(log.lines, [down, up, down, up, down, up]);
});

cacheTest("a cache that was restarted between two requests costs none of them", async () => {
  const log = new Lines();
  await using server = await startMemcached();
  await using cache = connect(server.address, log);
  assert.equal(await cache.add("k", "v", LIFE), true);
  await server.stop();
  await server.start();
  assert.equal(await cache.get("k"), undefined);
  assert.deepEqual(log.lines, []);
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
  Deno.test(`a server that ${what} is 503`, async () => {
    await using server = new BadServer(serve);
    await using cache = connect(server.address, new Lines(), 50);
    await assert.rejects(cache.get("k"), isUnavailable);
    await allUnavailable(usesOf(cache));
  });
}

/** Sessions of one user in a cache. */
async function sessionsOf(user: User, address: string, clock: Clock): Promise<TestSessions> {
  const derive = await deriveFrom(SECRET);
  return new TestSessions({
    store: new TicketStore({ cache: connect(address), now: clock.now, absolute: POLICY.absolute }),
    policy: POLICY,
    fingerprints: createFingerprints(derive("fingerprint")),
    findUser: () => user,
    now: clock.now,
  });
}

cacheTest("sessions are 503 while the cache is down and lost, not broken, when it comes back", async () => {
  await using server = await startMemcached();
  const anna = userNamed("anna");
  const clock = new Clock();
  await using sessions = await sessionsOf(anna, server.address, clock);
  const { ticket } = await sessions.open(anna, { method: "basic" });
  await server.stop();
  const uses = [
    sessions.open(anna, { method: "basic" }),
    sessions.resume(ticket),
    sessions.update(ticket, (details) => details),
    sessions.close(ticket),
    sessions.revoke("anna"),
  ];
  await allUnavailable(uses);
  assert.equal(await sessions.resume("no ticket at all"), undefined, "this needs no cache");
  await server.start();
  assert.equal(await sessions.resume(ticket), undefined);
  const again = await sessions.open(anna, { method: "basic" });
  assert.equal((await sessions.resume(again.ticket))?.session.login, "anna");
});

cacheTest(
  "sessions end, and never come back, when the cache forgets what it knew of their user",
  async () => {
    await using server = await startMemcached();
    await using cache = connect(server.address);
    const clock = new Clock();
    const anna = userNamed("anna");
    await using sessions = await sessionsOf(anna, server.address, clock);
    const { ticket } = await sessions.open(anna, { method: "basic" });
    const [, word = ""] = /rowhouse:(\w+:word)/.exec(await server.dump()) ?? [];
    await cache.remove(word);
    assert.equal(await sessions.resume(ticket), undefined);
    const next = await sessions.open(anna, { method: "basic" });
    assert.equal(await sessions.resume(ticket), undefined);
    assert.equal((await sessions.resume(next.ticket))?.session.login, "anna");
  },
);

/** A server that treats every connection as the test says. */
class BadServer implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #connections: Deno.Conn[] = [];
  readonly #accepting: Promise<void>;

  constructor(serve: (connection: Deno.Conn) => Promise<void>) {
    this.#accepting = this.#accept(serve);
  }

  get address(): string {
    return `127.0.0.1:${this.#listener.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#accepting;
  }

  async #accept(serve: (connection: Deno.Conn) => Promise<void>): Promise<void> {
    const served: Promise<void>[] = [];
    for await (const connection of this.#listener) {
      this.#connections.push(connection);
      served.push(serve(connection).catch(ignoreClosed));
    }
    for (const connection of this.#connections) closeOnce(connection);
    await Promise.all(served);
  }
}

/** The client gave the connection up first. */
function ignoreClosed(error: unknown): void {
  const { ConnectionReset, BrokenPipe, BadResource, Interrupted } = Deno.errors;
  for (const kind of [ConnectionReset, BrokenPipe, BadResource, Interrupted]) {
    if (error instanceof kind) return;
  }
  throw error;
}

function closeOnce(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
