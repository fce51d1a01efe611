import assert from "node:assert/strict";
import { type Asked, putBack, takeFrom } from "@/core/identity/throttle/buckets.ts";

const LIMITS = { burst: 5, interval: 60_000 };
const NOW = Date.UTC(2026, 0, 1);

/** Takes at each of these times, in milliseconds after the first, and returns the waits. */
function waitsAt(times: readonly number[], limits = LIMITS): readonly number[] {
  let full = 0;
  return times.map((time) => {
    const asked: Asked = takeFrom(full, NOW + time, limits);
    full = asked.full;
    return asked.wait;
  });
}

const CASES: readonly [what: string, times: readonly number[], waits: readonly number[]][] = [
  ["five at once, and the sixth waits a minute", [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 60_000]],
  ["the wait of the sixth is what is left of the minute", [0, 0, 0, 0, 0, 59_999], [0, 0, 0, 0, 0, 1]],
  ["one comes back each minute", [0, 0, 0, 0, 0, 60_000, 60_000], [0, 0, 0, 0, 0, 0, 60_000]],
  ["refusals cost nothing", [0, 0, 0, 0, 0, 1, 2, 3, 60_000], [0, 0, 0, 0, 0, 59_999, 59_998, 59_997, 0]],
  ["one a minute for ever", [0, 60_000, 120_000, 180_000, 240_000, 300_000, 360_000], [0, 0, 0, 0, 0, 0, 0]],
  [
    "five anew after the clock was set back by an hour",
    [3_600_000, 3_600_000, 3_600_000, 3_600_000, 3_600_000, 0, 1, 2, 3, 4, 5],
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 59_995],
  ],
  [
    "nothing more to a node whose clock is half a minute behind",
    [30_000, 30_000, 30_000, 30_000, 30_000, 0, 30_000, 90_000],
    [0, 0, 0, 0, 0, 60_000, 60_000, 0],
  ],
  ["a bucket holds no more than its burst", [0, 9e9, 9e9, 9e9, 9e9, 9e9, 9e9], [0, 0, 0, 0, 0, 0, 60_000]],
];

for (const [what, times, waits] of CASES) {
  Deno.test(`a bucket gives ${what}`, () => assert.deepEqual(waitsAt(times), waits));
}

Deno.test("an attempt that is put back can be taken again, and no more than were taken", () => {
  let full = 0;
  for (let round = 0; round < 20; round++) {
    const asked = takeFrom(full, NOW, LIMITS);
    assert.equal(asked.wait, 0);
    full = putBack(asked.full, NOW, LIMITS);
  }
  full = putBack(putBack(full, NOW, LIMITS), NOW, LIMITS);
  const waits = [1, 2, 3, 4, 5, 6].map(() => {
    const asked = takeFrom(full, NOW, LIMITS);
    full = asked.full;
    return asked.wait;
  });
  assert.deepEqual(waits, [0, 0, 0, 0, 0, 60_000]);
});

Deno.test("a burst of one and a rate of less than one a minute work", () => {
  assert.deepEqual(waitsAt([0, 0, 119_999, 120_000], { burst: 1, interval: 120_000 }), [0, 120_000, 1, 0]);
});
