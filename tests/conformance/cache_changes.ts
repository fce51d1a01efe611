/**
 * Changes of values by several nodes at the same moment.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { SharedCache } from "@/plugins/contract.ts";
import { type CacheTest, LIFE, newKey } from "./cache_subject.ts";

const AT_ONCE = 20;
const ROUNDS = 10;

/** The tests by name. */
export const changesAtOnce: Readonly<Record<string, CacheTest>> = {
  async "replaces only the version that was read"({ open }) {
    await using one = await open();
    await using other = await open();
    const key = newKey();
    await one.add(key, "1", LIFE);
    const version = await versionOf(one, key);
    assert.equal(await versionOf(other, key), version, "the version belongs to the value");
    assert.equal(await other.replace(key, "2", { ...LIFE, version }), true);
    assert.equal(await one.replace(key, "3", { ...LIFE, version }), false);
    assert.equal((await one.get(key))?.value, "2");
    await one.remove(key);
    assert.equal(await one.replace(key, "4", { ...LIFE, version: await versionOf(other, key) }), false);
    assert.equal(await one.get(key), undefined, "nothing is replaced where nothing is");
  },

  async "knows a value that has come back from the one before"({ open }) {
    await using cache = await open();
    const key = newKey();
    await cache.add(key, "1", LIFE);
    const first = await versionOf(cache, key);
    await cache.replace(key, "2", { ...LIFE, version: first });
    await cache.replace(key, "1", { ...LIFE, version: await versionOf(cache, key) });
    assert.equal(await cache.replace(key, "3", { ...LIFE, version: first }), false);
    await cache.remove(key);
    await cache.add(key, "1", LIFE);
    assert.equal(await cache.replace(key, "3", { ...LIFE, version: first }), false, "after a removal, too");
  },

  async "lets one of many add a value"({ open }) {
    await using one = await open();
    await using other = await open();
    for (let round = 0; round < ROUNDS; round++) {
      const key = newKey();
      const added = await Promise.all(
        atOnce((index) => [one, other][index % 2]?.add(key, String(index), LIFE)),
      );
      assert.equal(added.filter((each) => each).length, 1);
      assert.equal((await one.get(key))?.value, String(added.indexOf(true)));
    }
  },

  async "lets one of many replace a value"({ open }) {
    await using one = await open();
    await using other = await open();
    const key = newKey();
    await one.add(key, "0", LIFE);
    for (let round = 0; round < ROUNDS; round++) {
      const version = await versionOf(one, key);
      const change = (index: number) =>
        [one, other][index % 2]?.replace(key, `${round} ${index}`, { ...LIFE, version });
      const replaced = await Promise.all(atOnce(change));
      assert.equal(replaced.filter((each) => each).length, 1);
      assert.equal((await other.get(key))?.value, `${round} ${replaced.indexOf(true)}`);
    }
  },

  async "loses none of the numbers that several nodes count"({ open }) {
    await using one = await open();
    await using other = await open();
    const key = newKey();
    await one.add(key, "0", LIFE);
    await Promise.all(atOnce((index) => countUp(index % 2 === 0 ? one : other, key)));
    assert.equal((await one.get(key))?.value, String(AT_ONCE));
  },
};

function atOnce<T>(work: (index: number) => T): readonly T[] {
  return Array.from({ length: AT_ONCE }, (_, index) => work(index));
}

async function countUp(cache: SharedCache, key: string): Promise<void> {
  for (let attempt = 0; attempt <= AT_ONCE; attempt++) {
    const kept = await cache.get(key);
    assert.ok(kept, "the number is there");
    const next = String(Number(kept.value) + 1);
    if (await cache.replace(key, next, { ...LIFE, version: kept.version })) return;
  }
  assert.fail("of those who replace a version one succeeds");
}

/** Nothing, where there is no value. */
async function versionOf(cache: SharedCache, key: string): Promise<string> {
  return (await cache.get(key))?.version ?? "";
}
