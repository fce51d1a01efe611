import assert from "node:assert/strict";
import { Semaphore } from "@/core/base/semaphore.ts";

/** Work that ends when it is told to. */
function pieces(count: number) {
  const started: number[] = [];
  const ends = Array.from({ length: count }, () => Promise.withResolvers<number>());
  const work = (index: number) => () => {
    started.push(index);
    return ends[index]?.promise ?? Promise.resolve(-1);
  };
  return { started, work, end: (index: number) => ends[index]?.resolve(index), ends };
}

const settled = () => new Promise<void>((resolve) => setTimeout(resolve, 0));
const BUSY = new Error("busy");

Deno.test("so much work as there are semaphore runs at once, and the rest in the order in which it came", async () => {
  const semaphore = new Semaphore({ running: 2, waiting: 2, refuse: () => BUSY });
  const { started, work, end } = pieces(4);
  const results = [0, 1, 2, 3].map((index) => semaphore.run(work(index)));
  await settled();
  assert.deepEqual(started, [0, 1]);
  end(1);
  await settled();
  assert.deepEqual(started, [0, 1, 2]);
  [0, 2, 3].forEach(end);
  assert.deepEqual(await Promise.all(results), [0, 1, 2, 3]);
});

Deno.test("more than may wait is refused at once, and what waits is not", async () => {
  const semaphore = new Semaphore({ running: 1, waiting: 1, refuse: () => BUSY });
  const { work, end, started } = pieces(3);
  const [first, second] = [semaphore.runUnlessCrowded(work(0)), semaphore.runUnlessCrowded(work(1))];
  await assert.rejects(semaphore.runUnlessCrowded(work(2)), BUSY);
  const patient = semaphore.run(work(2));
  [0, 1, 2].forEach(end);
  assert.deepEqual([await first, await second, await patient, started], [0, 1, 2, [0, 1, 2]]);
});

Deno.test("work that fails gives its slot back", async () => {
  const semaphore = new Semaphore({ running: 1, waiting: 1, refuse: () => BUSY });
  for (let count = 0; count < 3; count++) {
    await assert.rejects(semaphore.run(() => Promise.reject(new Error("no"))), /no/);
  }
  assert.equal(await semaphore.run(() => Promise.resolve(7)), 7);
});
