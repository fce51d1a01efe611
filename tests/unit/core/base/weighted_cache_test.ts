import assert from "node:assert/strict";
import { WeightedCache } from "@/core/base/weighted_cache.ts";

/** How many of so many entries are kept. */
function kept(
  count: number,
  key: (index: number) => string,
  sqlLength: number,
  cache = new WeightedCache<number>(),
): number {
  const keys = Array.from({ length: count }, (_, index) => key(index));
  keys.forEach((each, index) => cache.set(each, index, sqlLength));
  return keys.filter((each) => cache.get(each) !== undefined).length;
}

Deno.test("a cache may have a bound of its own", () => {
  assert.equal(kept(10, String, 999, new WeightedCache(5000)), 5);
  assert.equal(kept(1, String, 5000, new WeightedCache(5000)), 0);
});

Deno.test("entries are bounded by their number, by their SQL and by their keys", () => {
  assert.equal(kept(2000, String, 0), 1000);
  assert.equal(kept(200, String, 10_000) <= 100, true);
  assert.equal(kept(200, (index) => String(index).padEnd(10_000), 0), 100);
});

Deno.test("an entry that is set again counts once", () => {
  const cache = new WeightedCache<number>(5000);
  for (let count = 0; count < 100; count++) cache.set("same", count, 999);
  assert.equal(kept(4, String, 999, cache), 4);
});
