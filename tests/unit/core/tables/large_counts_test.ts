import assert from "node:assert/strict";
import { LargeCount } from "@/core/tables/large_counts.ts";

type Arguments = ConstructorParameters<typeof LargeCount>;

/** The counts of one list, for pages that are made at the same time. */
function counts(meter: { commits: number }): () => LargeCount {
  const memos = new Map<unknown, unknown>();
  const view = { memo: (create: () => unknown) => memos.getOrInsertComputed(create, create) };
  const walk = { key: "Port", values: [] };
  return () => new LargeCount(...([meter, view, walk, false] as unknown as Arguments));
}

const OPTIONS = { signal: AbortSignal.timeout(60_000), requestId: undefined, turn: undefined };
const FITS = () => true;

Deno.test("pages of one list that are made at the same time count its rows once", async () => {
  const meter = { commits: 0 };
  const list = counts(meter);
  const first = Promise.withResolvers<number>();
  let times = 0;
  const work = () => {
    times++;
    return first.promise;
  };
  const totals = [list().count(work, OPTIONS, FITS), list().count(work, OPTIONS, FITS)];
  assert.equal(times, 1);
  meter.commits++;
  totals.push(list().count(work, OPTIONS, FITS));
  assert.equal(times, 2, "a change makes the number useless");
  first.resolve(7);
  assert.deepEqual(await Promise.all(totals), [7, 7, 7]);
});

Deno.test("a page counts the rows itself if the one that does so ends without a number", async () => {
  const list = counts({ commits: 0 });
  const first = Promise.withResolvers<number>();
  const failing = list().count(() => first.promise, OPTIONS, FITS);
  const waiting = list().count(() => 8, OPTIONS, FITS);
  first.reject(new Error("the client went away"));
  await assert.rejects(Promise.resolve(failing), /went away/);
  assert.equal(await waiting, 8);
});
