/**
 * A server that is not there, or not any more.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { SharedCache } from "@/plugins/contract.ts";
import { settlesWithin } from "@/plugins/kit/deadline.ts";
import { type CacheSubject, type CacheTest, LIFE, newKey } from "./cache_subject.ts";

/** Milliseconds after which an answer counts as none. */
const NEVER = 10_000;

/** The tests by name. */
export const outages: Readonly<Record<string, CacheTest>> = {
  async "rejects every use where nothing is, and shows no secret"({ nowhere, secrets = [], open }) {
    await using cache = await open(nowhere);
    for (let round = 0; round < 2; round++) await allRejected(cache, secrets);
  },

  async "is closed without harm, used or not"(subject) {
    await using other = await subject.open();
    const key = newKey();
    await closed(await subject.open());
    const used = await subject.open();
    await used.add(key, "1", LIFE);
    await closed(used);
    assert.equal((await other.get(key))?.value, "1", "values and other connections stay");
  },
};

/** The tests that need {@link CacheTestOptions.server}, by name. */
export const restarts: Readonly<Record<string, CacheTest>> = {
  async "rejects while its server is down, and works when it is back"(subject) {
    await using cache = await subject.open();
    const server = serverOf(subject);
    const key = newKey();
    await cache.add(key, "1", LIFE);
    for (let round = 0; round < 2; round++) {
      await server.stop();
      await allRejected(cache, subject.secrets ?? []);
      await server.start();
      await cache.remove(key);
      assert.equal(await cache.add(key, "1", LIFE), true);
      assert.equal((await cache.get(key))?.value, "1");
    }
  },

  async "loses no request because its server was restarted before"(subject) {
    await using cache = await subject.open();
    const server = serverOf(subject);
    const keys = Array.from({ length: 20 }, newKey);
    await cache.add(newKey(), "1", LIFE);
    await server.stop();
    await server.start();
    assert.deepEqual(
      await Promise.all(keys.map((key) => cache.add(key, "1", LIFE))),
      keys.map(() => true),
    );
  },
};

function serverOf({ server }: CacheSubject): ReturnType<NonNullable<CacheSubject["server"]>> {
  assert.ok(server);
  return server();
}

async function closed(cache: SharedCache): Promise<void> {
  assert.ok(
    await settlesWithin(Promise.resolve(cache[Symbol.asyncDispose]()), NEVER),
    "closing comes to an end",
  );
}

async function allRejected(cache: SharedCache, secrets: readonly string[]): Promise<void> {
  const uses: readonly (() => Promise<unknown>)[] = [
    () => cache.get(newKey()),
    () => cache.add(newKey(), "1", LIFE),
    () => cache.replace(newKey(), "1", { ...LIFE, version: "01".repeat(8) }),
    () => cache.touch(newKey(), LIFE),
    () => cache.remove(newKey()),
  ];
  for (const use of uses) {
    const rejected = assert.rejects(use(), (error: unknown) => {
      const text = `${error} ${error instanceof Error ? error.stack : ""}`;
      for (const secret of secrets) assert.equal(text.includes(secret), false, "a secret is shown");
      return true;
    });
    assert.ok(await settlesWithin(rejected, NEVER), "an answer comes in time");
  }
}
