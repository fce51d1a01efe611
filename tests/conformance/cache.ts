/**
 * Tests for every cache. A plugin's author calls {@link testCache} in a test file, with the location of a
 * server that the tests may write to: under random keys, which expire.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type CachePlugin, CONTRACT } from "@/plugins/contract.ts";
import { changesAtOnce } from "./cache_changes.ts";
import { lifetimes } from "./cache_lifetimes.ts";
import { outages, restarts } from "./cache_outages.ts";
import {
  type CacheSubject,
  cacheSubject,
  type CacheTest,
  type CacheTestOptions,
  LIFE,
  newKey,
} from "./cache_subject.ts";
export type { CacheTestOptions } from "./cache_subject.ts";

/** The tests by name; a name is a statement about caches. */
export const CACHE_TESTS: Readonly<Record<string, CacheTest>> = {
  "keeps the contract": keepsContract,
  "refuses what is no location, without showing a secret": refusesWrong,
  "keeps values as they were written": keepsValues,
  "keeps keys apart": keepsApart,
  "adds a value once, for everybody": addsOnce,
  "removes values": removes,
  ...changesAtOnce,
  ...lifetimes,
  ...outages,
  ...restarts,
};

/**
 * Registers one test for each of {@link CACHE_TESTS}; those of outages are ignored without a server to stop.
 */
export function testCache(
  name: string,
  make: () => CachePlugin | Promise<CachePlugin>,
  options: CacheTestOptions,
): void {
  assert.notEqual(options.wrong.length, 0, "There is a text that is no location");
  for (const [sentence, test] of Object.entries(CACHE_TESTS)) {
    const isIdle = Object.hasOwn(restarts, sentence) && !options.server;
    const reason = options.missing ?? (isIdle ? "its server cannot be stopped" : undefined);
    Deno.test({
      name: reason === undefined ? `${name} ${sentence}` : `${name} ${sentence} (ignored: ${reason})`,
      ignore: reason !== undefined,
      fn: async () => await test(await cacheSubject(name, await make(), options)),
    });
  }
}

async function keepsContract({ name, plugin, nowhere, open }: CacheSubject): Promise<void> {
  assert.ok(plugin.contract === CONTRACT || plugin.contract === CONTRACT - 1);
  assert.equal(plugin.kind, "cache");
  assert.equal(plugin.name, name);
  const cache = await open(nowhere);
  for (const member of ["get", "add", "replace", "touch", "remove", Symbol.asyncDispose] as const) {
    assert.equal(
      typeof cache[member],
      "function",
      `${String(member)} is a function, before there is a connection`,
    );
  }
  await cache[Symbol.asyncDispose]();
}

async function refusesWrong({ wrong, secrets = [], open }: CacheSubject): Promise<void> {
  for (const location of wrong) {
    await assert.rejects(open(location), (error: unknown) => {
      assert.ok(error instanceof Error && error.message.length > 10, "an error with a sentence");
      for (const text of secrets) assert.equal(error.message.includes(text), false, "a secret is shown");
      return true;
    });
  }
}

const VALUES: readonly string[] = [
  "",
  " ",
  "0",
  "a\r\nb\0c",
  "größe \u{1F600}",
  '{"a": "\\u0000"}',
  "x".repeat(300_000),
  "ä".repeat(300_000),
];

async function keepsValues({ open }: CacheSubject): Promise<void> {
  await using cache = await open();
  for (const value of VALUES) {
    const key = newKey();
    const shown = JSON.stringify(value).slice(0, 40);
    assert.equal(await cache.get(key), undefined);
    assert.equal(await cache.add(key, value, LIFE), true, shown);
    const added = await cache.get(key);
    assert.equal(added?.value, value);
    assert.equal(
      await cache.replace(key, `${value}!`, { ...LIFE, version: added?.version ?? "" }),
      true,
      shown,
    );
    assert.equal((await cache.get(key))?.value, `${value}!`);
  }
}

async function keepsApart({ open }: CacheSubject): Promise<void> {
  await using cache = await open();
  const key = newKey();
  const similar = [key, `${key}a`, `${key}A`, `${key}:`, `${key}*`, `${key}?`, key.padEnd(200, "x")];
  const keys = [...similar, ...Array.from({ length: 200 }, (_, index) => `${key}${index}`)];
  await Promise.all(keys.map((each) => cache.add(each, `value of ${each}`, LIFE)));
  const values = await Promise.all(keys.map(async (each) => (await cache.get(each))?.value));
  assert.deepEqual(values, keys.map((each) => `value of ${each}`));
}

async function addsOnce({ open }: CacheSubject): Promise<void> {
  await using one = await open();
  await using other = await open();
  const key = newKey();
  assert.equal(await one.add(key, "1", LIFE), true);
  assert.equal(await one.add(key, "1", LIFE), false, "the same value, too");
  assert.equal(await other.add(key, "2", LIFE), false, "other nodes see it");
  assert.equal((await other.get(key))?.value, "1");
}

async function removes({ open }: CacheSubject): Promise<void> {
  await using one = await open();
  await using other = await open();
  const [key, kept] = [newKey(), newKey()];
  await one.add(key, "1", LIFE);
  await one.add(kept, "2", LIFE);
  await other.remove(key);
  await other.remove(key);
  assert.equal(await one.get(key), undefined);
  assert.equal((await one.get(kept))?.value, "2");
  assert.equal(await one.add(key, "3", LIFE), true);
}
