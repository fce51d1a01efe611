/**
 * How long values stay.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { SharedCache } from "@/plugins/contract.ts";
import { type CacheTest, LIFE, newKey } from "./cache_subject.ts";

const SHORT = { seconds: 1 };
/** Milliseconds after which a value of {@link SHORT} is certainly over. */
const OVER = 5000;
const PAUSE = 50;
const YEARS = 60 * 60 * 24 * 365 * 20;

/** The tests by name. */
export const lifetimes: Readonly<Record<string, CacheTest>> = {
  async "forgets a value when its lifetime is over, and no other"({ open }) {
    await using cache = await open();
    const [short, half, long, years] = [newKey(), newKey(), newKey(), newKey()];
    await cache.add(long, "long", LIFE);
    await cache.add(years, "years", { seconds: YEARS });
    await cache.add(half, "half", { seconds: 0.5 });
    await cache.add(short, "short", SHORT);
    await forgotten(cache, short);
    await forgotten(cache, half);
    assert.equal((await cache.get(long))?.value, "long");
    assert.equal((await cache.get(years))?.value, "years");
    assert.equal(await cache.touch(short, LIFE), false, "it does not come back");
    assert.equal(await cache.add(short, "new", LIFE), true, "the key is free");
    await Promise.all([long, years].map((key) => cache.remove(key)));
  },

  async "counts a lifetime from the last write"({ open }) {
    await using cache = await open();
    const [replaced, touched, other, shortened] = [newKey(), newKey(), newKey(), newKey()];
    for (const key of [replaced, touched, other]) await cache.add(key, "1", SHORT);
    await cache.add(shortened, "1", LIFE);
    const version = (await cache.get(replaced))?.version ?? "";
    assert.equal(await cache.replace(replaced, "2", { ...LIFE, version }), true);
    assert.equal(await cache.touch(touched, LIFE), true);
    assert.equal(await cache.touch(shortened, SHORT), true);
    await forgotten(cache, other);
    await forgotten(cache, shortened);
    assert.equal((await cache.get(replaced))?.value, "2");
    assert.equal((await cache.get(touched))?.value, "1");
  },

  async "touches only what is there, and leaves its value and version"({ open }) {
    await using cache = await open();
    const key = newKey();
    assert.equal(await cache.touch(key, LIFE), false);
    assert.equal(await cache.get(key), undefined);
    await cache.add(key, "1", LIFE);
    const added = await cache.get(key);
    assert.equal(await cache.touch(key, LIFE), true);
    assert.equal((await cache.get(key))?.value, "1");
    assert.equal(await cache.replace(key, "2", { ...LIFE, version: added?.version ?? "" }), true);
  },
};

async function forgotten(cache: SharedCache, key: string): Promise<void> {
  const deadline = performance.now() + OVER;
  while (await cache.get(key)) {
    assert.ok(performance.now() < deadline, "its lifetime is over long since");
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}
