import assert from "node:assert/strict";
import { inTurns } from "@/core/base/cooperative.ts";

// A step leaves a timer of a millisecond behind, which gives the next turn.
Deno.test.sanitizer({ ops: false, resources: false });

function* count(steps: number): Generator<number, string, void> {
  for (let step = 0; step < steps; step++) yield step;
  return `${steps} steps`;
}

Deno.test("short work is done at once", () => {
  assert.equal(inTurns(count(0)), "0 steps");
  assert.equal(inTurns(count(3)), "3 steps");
});

Deno.test("long work lets timers and connections go on between its steps", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const others = { timer: false, connection: false };
  const timer = setTimeout(() => others.timer = true, 0);
  const { port } = listener.addr as Deno.NetAddr;
  const connected = Deno.connect({ hostname: "127.0.0.1", port }).then((connection) => {
    others.connection = true;
    connection.close();
  });
  function* untilOthersWereThere(): Generator<undefined, boolean, void> {
    for (let step = 0; step < 1e9; step++) {
      if (others.timer && others.connection) return true;
      yield;
    }
    return false;
  }
  assert.equal(await inTurns(untilOthersWereThere()), true);
  await connected;
  clearTimeout(timer);
});

Deno.test("work that fails fails at once or later, as it does by itself", async () => {
  const failure = new Error("It failed");
  function* failing(steps: number): Generator<undefined, never, void> {
    const end = performance.now() + steps;
    while (performance.now() < end) yield;
    throw failure;
  }
  assert.throws(() => inTurns(failing(0)), failure);
  await assert.rejects(async () => await inTurns(failing(30)), failure);
});
