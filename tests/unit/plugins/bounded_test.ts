import assert from "node:assert/strict";
import { bounded, type Bounds } from "@/plugins/kit/bounded.ts";

const SLOW = 60;

/** Limits whose signal is made for slow work; `reasons`: those for which the work was given up. */
function limitsOf(
  ending: () => AbortSignal,
  seconds = 0,
): { readonly bounds: Bounds; readonly reasons: unknown[] } {
  const reasons: unknown[] = [];
  const expired = () => new Error("late");
  return { bounds: { seconds, expired, ending, giveUp: (reason) => reasons.push(reason) }, reasons };
}

function after<T>(milliseconds: number, value: T): Promise<T> {
  return new Promise((resolve) => setTimeout(() => resolve(value), milliseconds));
}

Deno.test("no signal is made for quick work, whether it succeeds or fails", async () => {
  const { bounds, reasons } = limitsOf(() => assert.fail("A signal is made"));
  assert.equal(await bounded(Promise.resolve("done"), bounds), "done");
  await assert.rejects(bounded(Promise.reject(new Error("refused")), bounds), { message: "refused" });
  await after(SLOW, undefined);
  assert.deepEqual(reasons, []);
});

Deno.test("slow work is given up with the reason of its signal, and only once", async () => {
  const leaving = new AbortController();
  const { bounds, reasons } = limitsOf(() => leaving.signal);
  const work = Promise.withResolvers<void>();
  const wait = bounded(work.promise, bounds);
  leaving.abort(new Error("left"));
  await assert.rejects(wait, { message: "left" });
  assert.deepEqual(reasons, [leaving.signal.reason]);
  work.resolve();
  await after(SLOW, undefined);
  assert.equal(reasons.length, 1);
});

Deno.test("slow work that ends in time is not given up afterwards", async () => {
  const leaving = new AbortController();
  const { bounds, reasons } = limitsOf(() => leaving.signal, 10);
  assert.equal(await bounded(after(SLOW, "done"), bounds), "done");
  leaving.abort();
  assert.deepEqual(reasons, []);
});

Deno.test("slow work has the time of its limit", async () => {
  const { bounds, reasons } = limitsOf(() => new AbortController().signal, 0.05);
  const work = Promise.withResolvers<void>();
  await assert.rejects(bounded(work.promise, bounds), { message: "late" });
  assert.equal(reasons.length, 1);
});

Deno.test("slow work is given up where no signal can be made any more", async () => {
  const closed = new Error("closed");
  const { bounds, reasons } = limitsOf(() => {
    throw closed;
  });
  await assert.rejects(bounded(Promise.withResolvers<void>().promise, bounds), closed);
  assert.deepEqual(reasons, [closed]);
});
