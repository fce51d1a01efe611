/**
 * @module Turns of writers, in one thread and in several: none waits for a thread that has ended.
 */

import assert from "node:assert/strict";
import { turnsOf } from "@/plugins/dialects/sqlite/turns.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";

const GONE = new Error("The client has gone");

for (const workers of [1, 2]) {
  const takeTurn = turnsOf(workers);
  const among = workers === 1 ? "one thread" : "several threads";

  Deno.test(`turns of ${among} are taken in the order of the requests`, async () => {
    const order: number[] = [];
    const first = await takeTurn("order", { signal: NEVER, seconds: 5 });
    const others = [1, 2, 3].map(async (number) => {
      using _turn = await takeTurn("order", { signal: NEVER, seconds: 5 });
      order.push(number);
      await Promise.resolve();
    });
    first[Symbol.dispose]();
    await Promise.all(others);
    assert.deepEqual(order, [1, 2, 3]);
  });

  Deno.test(`a turn of ${among} on another file is free`, async () => {
    using _one = await takeTurn("one", { signal: NEVER, seconds: 5 });
    using _other = await takeTurn("other", { signal: NEVER, seconds: 5 });
  });

  Deno.test(`a client of ${among} that leaves or waits too long gets no turn, and the next one does`, async () => {
    const first = await takeTurn("leave", { signal: NEVER, seconds: 5 });
    const controller = new AbortController();
    const leaving = assert.rejects(takeTurn("leave", { signal: controller.signal, seconds: 5 }), GONE);
    const late = assert.rejects(takeTurn("leave", { signal: NEVER, seconds: 0.01 }), /Other transactions/);
    const next = takeTurn("leave", { signal: NEVER, seconds: 5 });
    controller.abort(GONE);
    await leaving;
    await late;
    first[Symbol.dispose]();
    (await next)[Symbol.dispose]();
  });
}

Deno.test("the turn of a thread that dies goes to the next one", async () => {
  const takeTurn = turnsOf(2);
  const name = "rowhouse writes sqlite dying";
  const source =
    `navigator.locks.request("${name}", () => { postMessage("taken"); return new Promise(() => {}); });`;
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const worker = new Worker(url, { type: "module" });
  await new Promise((resolve) => worker.onmessage = resolve);
  await assert.rejects(takeTurn("dying", { signal: NEVER, seconds: 0.1 }), /Other transactions/);
  worker.terminate();
  URL.revokeObjectURL(url);
  (await takeTurn("dying", { signal: NEVER, seconds: 10 }))[Symbol.dispose]();
});
