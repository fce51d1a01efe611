import assert from "node:assert/strict";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { Turns } from "@/plugins/kit/turns.ts";

const GONE = new Error("Gone");
const BUSY = /Too many streams are being read/;

function oneTurn(): Turns {
  return new Turns({ max: 1, acquireTimeout: 0.01 });
}

/** Exactly one can be taken. */
async function assertOneFree(turns: Turns): Promise<void> {
  using _turn = await turns.take(NEVER);
  await assert.rejects(turns.take(NEVER), BUSY);
}

Deno.test("a turn ends once, however often it is ended", async () => {
  const turns = oneTurn();
  const controller = new AbortController();
  const turn = await turns.take(controller.signal);
  turn[Symbol.dispose]();
  turn[Symbol.dispose]();
  controller.abort(GONE);
  await assertOneFree(turns);
});

Deno.test("a turn ends when its signal is aborted", async () => {
  const turns = oneTurn();
  const controller = new AbortController();
  await turns.take(controller.signal);
  controller.abort(GONE);
  await assertOneFree(turns);
  await assert.rejects(turns.take(controller.signal), GONE);
});

Deno.test("a turn that comes while its signal is aborted is neither lost nor doubled", async () => {
  for (let steps = 0; steps < 12; steps++) {
    const turns = oneTurn();
    const controller = new AbortController();
    const first = await turns.take(NEVER);
    const second = turns.take(controller.signal).catch((reason) => assert.equal(reason, GONE));
    first[Symbol.dispose]();
    for (let step = 0; step < steps; step++) await Promise.resolve();
    controller.abort(GONE);
    await second;
    await assertOneFree(turns);
  }
});

Deno.test("one caller has at most half of the turns, and others pass those of it that wait", async () => {
  const turns = new Turns({ max: 6, acquireTimeout: 0.05 });
  const first = await turns.take(NEVER, { caller: "ann" });
  await turns.take(NEVER, { caller: "ann" });
  await assert.rejects(turns.take(NEVER, { caller: "ann" }), BUSY);
  const waiting = assert.rejects(turns.take(NEVER, { caller: "ann" }), BUSY);
  await turns.take(NEVER, { caller: "bob" });
  const last = await turns.take(NEVER, { caller: "cid", isQuery: true });
  await assert.rejects(turns.take(NEVER, { caller: "dan" }), BUSY);
  await waiting;
  const later = turns.take(NEVER, { caller: "ann", isQuery: true });
  const dan = turns.take(NEVER, { caller: "dan", isQuery: true });
  last[Symbol.dispose]();
  await dan;
  first[Symbol.dispose]();
  await later;
});

Deno.test("a turn without a caller counts for nobody", async () => {
  const turns = new Turns({ max: 4, acquireTimeout: 0.01 });
  await turns.take(NEVER);
  await turns.take(NEVER);
  await assert.rejects(turns.take(NEVER), BUSY);
});

Deno.test("lists leave a quarter of the turns to saved queries, and these to lists", async () => {
  for (const isQuery of [false, true]) {
    const turns = new Turns({ max: 10, acquireTimeout: 0.01 });
    const taken: Disposable[] = [];
    for (let count = 0; count < 6; count++) taken.push(await turns.take(NEVER, { isQuery }));
    await assert.rejects(turns.take(NEVER, { isQuery }), BUSY);
    await turns.take(NEVER, { isQuery: !isQuery });
    await turns.take(NEVER, { isQuery: !isQuery });
    await assert.rejects(turns.take(NEVER, { isQuery: !isQuery }), BUSY);
    const waiting = turns.take(NEVER, { isQuery });
    taken[0]?.[Symbol.dispose]();
    await waiting;
  }
});

Deno.test("the end of one turn lets everybody go on whom it has kept waiting", async () => {
  const turns = new Turns({ max: 6, acquireTimeout: 5 });
  const list = await turns.take(NEVER, { caller: "ann" });
  await turns.take(NEVER, { caller: "ann" });
  await turns.take(NEVER, { caller: "bob" });
  // Ann has her half of the turns, and lists have three of four.
  const waiting = [
    turns.take(NEVER, { caller: "ann", isQuery: true }),
    turns.take(NEVER, { caller: "cid" }),
  ];
  list[Symbol.dispose]();
  await Promise.all(waiting);
});
