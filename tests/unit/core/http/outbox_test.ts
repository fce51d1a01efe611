import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import { Outbox } from "@/core/http/outbox.ts";

const SMALL = { written: "x".repeat(500) };
const LARGE = { written: new Uint8Array(60_000) };

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => resolve()));
}

/** Holds an answer, and says whether it has been sent. */
function hold(outbox: Outbox, exchange: Parameters<Outbox["hold"]>[1]): { readonly isSent: boolean } {
  const made = new Response();
  const kept = outbox.hold(made, exchange);
  let isSent = kept === made;
  Promise.resolve(kept).then((sent) => isSent = sent === made);
  return {
    get isSent() {
      return isSent;
    },
  };
}

Deno.test("answers of one turn are sent at its end, each to its own client", async () => {
  const outbox = new Outbox();
  const answers = [hold(outbox, SMALL), hold(outbox, SMALL), hold(outbox, { written: undefined })];
  await Promise.resolve();
  assert.deepEqual(answers.map(({ isSent }) => isSent), [false, false, false]);
  await nextTurn();
  assert.deepEqual(answers.map(({ isSent }) => isSent), [true, true, true]);
});

Deno.test("answers that wait for a database, in slices, or above 64 KiB are not held", () => {
  const outbox = new Outbox();
  const later = Promise.resolve(new Response());
  assert.equal(outbox.hold(later, SMALL), later);
  const made = new Response();
  assert.equal(outbox.hold(made, { written: { slices: [] } }), made);
  assert.equal(outbox.hold(made, { written: "x".repeat(65_537) }), made);
});

Deno.test("no more than 128 KiB are held: the answer above them sends all", async () => {
  const outbox = new Outbox();
  const answers = [hold(outbox, LARGE), hold(outbox, LARGE)];
  await Promise.resolve();
  assert.deepEqual(answers.map(({ isSent }) => isSent), [false, false]);
  answers.push(hold(outbox, LARGE), hold(outbox, SMALL));
  await Promise.resolve();
  assert.deepEqual(answers.map(({ isSent }) => isSent), [true, true, true, false]);
  await nextTurn();
});

Deno.test("a single client does not wait: after an answer alone, the next ones are sent at once", async () => {
  const outbox = new Outbox();
  const alone = hold(outbox, SMALL);
  assert.ok(!alone.isSent);
  await nextTurn();
  const next = Array.from({ length: 9 }, () => hold(outbox, SMALL).isSent);
  assert.deepEqual(next, [...Array<boolean>(8).fill(true), false]);
  await nextTurn();
});
