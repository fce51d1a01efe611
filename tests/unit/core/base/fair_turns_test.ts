import assert from "node:assert/strict";
import { FairTurns } from "@/core/base/fair_turns.ts";

// A step leaves a timer of a millisecond behind, which gives the next turn.
Deno.test.sanitizer({ ops: false, resources: false });

/** Work that notes its name, and its end if it lasts for several steps. */
function noting(turns: FairTurns, order: string[]) {
  return (caller: string, name: string, steps = 1) =>
    turns.run(caller, () => {
      order.push(name);
      return steps === 1 ? name : goOn(steps - 1);
      async function goOn(left: number): Promise<string> {
        for (let step = 0; step < left; step++) await turns.pause();
        order.push(`${name} ends`);
        return name;
      }
    });
}

Deno.test("work is done at once in a free turn", () => {
  assert.equal(new FairTurns(1).run("ann", () => 7), 7);
});

/** A clock on which each piece of work takes a while. */
function slowly(): () => number {
  let now = 0;
  return () => now += 10;
}

/** The order at each look at the network, until there are so many entries. */
async function looksOf(order: readonly string[], entries: number): Promise<readonly string[]> {
  const looks: string[] = [];
  while (order.length < entries) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    looks.push(order.join(""));
  }
  return looks;
}

Deno.test("one long step runs between two looks at the network", async () => {
  const order: string[] = [];
  const run = noting(new FairTurns(2, slowly()), order);
  const all = ["a", "b", "c"].map((name) => run("ann", name));
  assert.deepEqual(order, ["a"]);
  const looks = await looksOf(order, 3);
  await Promise.all(all);
  assert.ok(looks.includes("ab"), "b and c have not begun together");
});

Deno.test("short steps run one after another, without a look between them", async () => {
  const order: string[] = [];
  const run = noting(new FairTurns(1, () => 0), order);
  const others = [run("ann", "long", 2), ...["a", "b", "c"].map((name) => run("ann", name))];
  const looks = await looksOf(order, 5);
  await Promise.all(others);
  assert.deepEqual(order, ["long", "long ends", "a", "b", "c"]);
  assert.ok(!looks.some((seen) => seen.endsWith("endsa")), "a, b and c have begun together");
});

Deno.test("short work passes work that waits, until there has been much of it", async () => {
  const order: string[] = [];
  let now = 0;
  const turns = new FairTurns(1, () => now);
  const all = ["long", "next"].map((name) => turns.run("ann", () => void (order.push(name), now += 10)));
  for (let passed = 0; passed < 30; passed++) {
    all.push(turns.run("bob", () => void (order.push("short"), now += 2), true));
  }
  const atOnce = order.length;
  await Promise.all(all);
  assert.deepEqual(order.slice(0, atOnce), ["long", ...Array(5).fill("short")]);
  assert.equal(order.length, 32);
});

Deno.test("callers alternate, whoever has asked for more", async () => {
  const order: string[] = [];
  const run = noting(new FairTurns(1, slowly()), order);
  await Promise.all([
    run("ann", "a1"),
    run("ann", "a2"),
    run("ann", "a3"),
    run("bob", "b1"),
    run("bob", "b2"),
  ]);
  assert.deepEqual(order, ["a1", "a2", "b1", "a3", "b2"]);
});

Deno.test("work in steps keeps its turn, and waiting work comes between its steps", async () => {
  const order: string[] = [];
  const run = noting(new FairTurns(2), order);
  await Promise.all([
    run("ann", "long", 4),
    run("ann", "short"),
    run("ann", "longer", 6),
    run("ann", "last"),
  ]);
  assert.deepEqual(order, ["long", "short", "longer", "long ends", "last", "longer ends"]);
});

Deno.test("work begins after the last step of paused work", async () => {
  const order: string[] = [];
  const run = noting(new FairTurns(1, slowly()), order);
  await run("ann", "long", 2);
  assert.equal(await run("ann", "next"), "next");
});

Deno.test("work that fails leaves its turn", async () => {
  const turns = new FairTurns(1);
  const failure = new Error("It failed");
  assert.throws(() =>
    turns.run("ann", () => {
      throw failure;
    }), failure);
  const later = turns.run("ann", () => Promise.reject(failure));
  await assert.rejects(async () => await later, failure);
  assert.equal(await turns.run("ann", () => 1), 1);
  assert.equal(turns.waiting, 0);
});

// Milliseconds of each turn, and of other work between two turns.
for (const [inTurn, besides] of [[5, 0], [1, 40]] as const) {
  Deno.test(`the event loop rests now and then during turns of ${inTurn} ms, ${besides} ms apart`, async () => {
    const real = globalThis.setTimeout;
    // The last rest of the tests before.
    await new Promise((resolve) => real(resolve, 20));
    let now = 0;
    const rests: number[] = [];
    globalThis.setTimeout = ((work: () => void, delay: number) => {
      if (delay > 0) rests.push(now);
      else now += besides;
      return real(work, delay);
    }) as typeof setTimeout;
    try {
      const turns = new FairTurns(2, () => now);
      await Promise.all(Array.from({ length: 20 }, () => turns.run("ann", () => void (now += inTurn))));
    } finally {
      globalThis.setTimeout = real;
    }
    const shift = Math.max(30, inTurn + besides);
    assert.deepEqual(rests.map((at, index) => at - (rests[index - 1] ?? at - shift)), rests.map(() => shift));
    assert.ok(rests.length >= 4);
  });
}
