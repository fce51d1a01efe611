import assert from "node:assert/strict";
import { Turns } from "@/plugins/kit/streams.ts";
import { NEVER } from "@/tests/conformance/dialect_queries.ts";

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
