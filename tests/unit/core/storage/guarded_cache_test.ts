import assert from "node:assert/strict";
import { METERS } from "@/core/base/meters.ts";
import { ServiceError } from "@/core/errors.ts";
import { createFingerprints } from "@/core/identity/sessions/fingerprint.ts";
import { TicketStore } from "@/core/identity/sessions/ticket_store.ts";
import { GuardedCache } from "@/core/storage/guarded_cache.ts";
import type { User } from "@/core/model.ts";
import type { SharedCache } from "@/plugins/contract.ts";
import {
  Clock,
  deriveFrom,
  POLICY,
  SECRET,
  TestSessions,
  userNamed,
} from "@/tests/conformance/session_place.ts";
import { until } from "@/tests/support/until.ts";
import { CACHE_SERVERS, type CacheName, openCache } from "@/tests/support/shared_caches.ts";

const LIFE = { seconds: 60 };

/** The lines of the log. */
class Lines {
  readonly lines: string[] = [];
  readonly info = (line: string): void => void this.lines.push(`INFO ${line}`);
  readonly warn = (line: string): void => void this.lines.push(`WARN ${line}`);
  readonly error = (line: string, cause?: unknown): void =>
    void this.lines.push(`ERROR ${line}${cause === undefined ? "" : ` with the stack of ${cause}`}`);
}

function isUnavailable(error: unknown): true {
  assert.ok(error instanceof ServiceError, String(error));
  assert.equal(error.status, 503);
  assert.equal(error.message, "The shared cache is not available at the moment: try again later");
  assert.deepEqual(error.headers, { "Retry-After": "5" });
  return true;
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

async function allUnavailable(uses: readonly Promise<unknown>[]): Promise<void> {
  await Promise.all(uses.map((use) => assert.rejects(use, isUnavailable)));
}

/** A cache every member of which does the same. */
function odd(behave: () => unknown): SharedCache {
  const member = behave as () => Promise<never>;
  return {
    get: member,
    add: member,
    replace: member,
    touch: member,
    remove: member,
    [Symbol.asyncDispose]: member,
  };
}

function guard(
  cache: SharedCache,
  log: Lines,
  location = "kv://anna:p@ss?word@h:1/a?key=open-sesame",
): GuardedCache {
  return new GuardedCache(cache, { name: "kv", location, purpose: "trials", log, timeout: 0.05 });
}

const DOWN = 'ERROR The shared cache at kv://h:1/a (cache "kv") cannot be used for trials';
const BROKEN = `${DOWN}: broken`;

Deno.test("an outage, and its end, are seen while nobody uses the cache", async () => {
  const log = new Lines();
  let isBroken = true;
  const inner = odd(() => isBroken ? Promise.reject(new Error("broken")) : Promise.resolve(undefined));
  await using _cache = new GuardedCache(inner, {
    name: "kv",
    location: "kv://h:1/a",
    purpose: "trials",
    log,
    timeout: 1,
    pause: 10,
  });
  const reason = () => METERS.parts.get("shared cache for trials");
  await until(() => reason() === "broken");
  isBroken = false;
  await until(() => reason() === undefined);
  isBroken = true;
  await until(() => reason() === "broken");
  assert.deepEqual(log.lines, [
    BROKEN,
    'INFO The shared cache at kv://h:1/a (cache "kv") can be used for trials again',
    BROKEN,
  ]);
});

Deno.test("a cache that throws, rejects or never answers is 503 for everything, logged once, without its password", async () => {
  const late = "() has not ended after 0.025 seconds";
  const ways: readonly [behave: () => unknown, reason: string, line: string][] = [
    [
      () => {
        throw new Error("broken");
      },
      "broken",
      BROKEN,
    ],
    [() => Promise.reject(new TypeError("broken")), "broken", `${DOWN} with the stack of TypeError: broken`],
    [() => new Promise(() => {}), `remove${late}`, `${DOWN}: get${late}`],
  ];
  for (const [behave, reason, line] of ways) {
    const log = new Lines();
    const cache = guard(odd(behave), log);
    await allUnavailable(usesOf(cache));
    assert.deepEqual(log.lines, [line]);
    assert.equal(METERS.parts.get("shared cache for trials"), reason);
    await cache[Symbol.asyncDispose]();
    assert.deepEqual(log.lines.slice(1).map((closing) => closing.split(" with ", 1)[0]), [
      'ERROR The cache "kv" cannot be closed',
    ]);
  }
});

Deno.test("a cache that gives something else is 503, and never a session or a new name", async () => {
  const wrong: readonly unknown[] = [null, 1, "OK", {}, { value: 1, version: "1" }, { value: "1" }];
  for (const given of wrong) {
    const log = new Lines();
    await using cache = guard(odd(() => Promise.resolve(given)), log);
    const [got, added, replaced, touched] = usesOf(cache);
    for (const use of [got, added, replaced, touched]) {
      await assert.rejects(async () => await use, isUnavailable);
    }
    assert.match(
      log.lines.join(),
      new RegExp(`get\\(\\) gave ${given === null ? null : typeof given}, unlike its`),
    );
  }
});

Deno.test("the trouble of a cache ends with its next answer", async () => {
  const log = new Lines();
  let isBroken = true;
  await using cache = guard(
    odd(() => isBroken ? Promise.reject(new Error("broken")) : Promise.resolve(undefined)),
    log,
  );
  await assert.rejects(cache.get("k"), isUnavailable);
  isBroken = false;
  assert.equal(await cache.get("k"), undefined);
  assert.deepEqual(log.lines, [
    BROKEN,
    'INFO The shared cache at kv://h:1/a (cache "kv") can be used for trials again',
  ]);
  assert.equal(METERS.parts.get("shared cache for trials"), undefined);
});

for (const { name, missing, start } of CACHE_SERVERS) {
  const serverTest = (title: string, fn: () => Promise<void>) =>
    Deno.test({ name: `${name}: ${title}`, ignore: missing !== undefined, fn });

  serverTest("an outage has two lines in the log, and no request after it is lost", async () => {
    const log = new Lines();
    await using server = await start();
    await using cache = openCache(name, { location: server.address, log, purpose: "sessions" });
    await cache.add("k", "v", LIFE);
    await server.stop();
    await allUnavailable(usesOf(cache));
    await server.start();
    assert.equal(await cache.get("k"), undefined);
    const title = `The shared cache at ${server.address} (cache "${name}")`;
    const host = server.address.replace(/^\w+:\/\//, "");
    assert.deepEqual(log.lines, [
      `ERROR ${title} cannot be used for sessions: connect ECONNREFUSED ${host}`,
      `INFO ${title} can be used for sessions again`,
    ]);
  });

  serverTest(
    "sessions are 503 while the cache is down and lost, not broken, when it comes back",
    async () => {
      await using server = await start();
      const anna = userNamed("anna");
      await using sessions = await sessionsOf(anna, name, server.address);
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
    },
  );

  serverTest("sessions end, and never come back, when the cache forgets the word of their user", async () => {
    await using server = await start();
    await using cache = openCache(name, { location: server.address, log: new Lines(), purpose: "sessions" });
    const anna = userNamed("anna");
    await using sessions = await sessionsOf(anna, name, server.address);
    const { ticket } = await sessions.open(anna, { method: "basic" });
    const [, word = ""] = /rowhouse:(\w+:word)/.exec(await server.dump()) ?? [];
    await cache.remove(word);
    assert.equal(await sessions.resume(ticket), undefined);
    const next = await sessions.open(anna, { method: "basic" });
    assert.equal(await sessions.resume(ticket), undefined);
    assert.equal((await sessions.resume(next.ticket))?.session.login, "anna");
  });
}

/** Sessions of one user in a cache. */
async function sessionsOf(user: User, name: CacheName, location: string): Promise<TestSessions> {
  const derive = await deriveFrom(SECRET);
  const { now } = new Clock();
  const cache = openCache(name, { location, log: new Lines(), purpose: "sessions" });
  return new TestSessions({
    store: new TicketStore({ cache, now, absolute: POLICY.absolute }),
    policy: POLICY,
    fingerprints: createFingerprints(derive("fingerprint")),
    findUser: () => user,
    now,
  });
}
