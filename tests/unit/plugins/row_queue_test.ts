import assert from "node:assert/strict";
import { RowQueue } from "@/plugins/kit/row_queue.ts";

/** A queue by twos, and the calls of its driver. */
function queueByTwos(): { readonly rows: RowQueue<number>; readonly calls: string[] } {
  const calls: string[] = [];
  const driver = { pause: () => void calls.push("pause"), resume: () => void calls.push("resume") };
  return { rows: new RowQueue<number>(2, driver), calls };
}

Deno.test("rows come in chunks of the size, the last one may be shorter", async () => {
  const { rows } = queueByTwos();
  for (const row of [1, 2, 3]) rows.push(row);
  rows.end();
  assert.deepEqual(await rows.next(), [1, 2]);
  assert.equal(rows.isDone, false);
  assert.deepEqual(await rows.next(), [3]);
  assert.equal(rows.isDone, true);
});

Deno.test("a reader waits for a whole chunk", async () => {
  const { rows } = queueByTwos();
  const next = rows.next();
  rows.push(1);
  rows.push(2);
  assert.deepEqual(await next, [1, 2]);
});

Deno.test("the driver pauses once while two chunks wait, and goes on when the reader needs more", async () => {
  const { rows, calls } = queueByTwos();
  for (const row of [1, 2, 3, 4, 5]) rows.push(row);
  assert.deepEqual(calls, ["pause"]);
  assert.deepEqual([await rows.next(), await rows.next()], [[1, 2], [3, 4]]);
  assert.deepEqual(calls, ["pause"]);
  const last = rows.next();
  assert.deepEqual(calls, ["pause", "resume"]);
  rows.end();
  assert.deepEqual(await last, [5]);
});

Deno.test("the first failure ends the rows at once, also those that wait", async () => {
  const { rows } = queueByTwos();
  const first = new Error("First");
  rows.push(1);
  rows.push(2);
  rows.fail(first);
  rows.fail(new Error("Second"));
  await assert.rejects(rows.next(), first);
});
