import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { TimerQueue } from "@/plugins/kit/timer_queue.ts";

Deno.test("timers fire in the order of their starts, each after its time", async () => {
  const queue = new TimerQueue(30);
  const begun = performance.now();
  const fired: [name: string, after: number][] = [];
  const { promise: last, resolve } = Promise.withResolvers<void>();
  queue.start(() => fired.push(["a", performance.now() - begun]));
  await delay(15);
  queue.start(() => {
    fired.push(["b", performance.now() - begun]);
    resolve();
  });
  await last;
  assert.deepEqual(fired.map(([name]) => name), ["a", "b"]);
  for (const [index, [, after]] of fired.entries()) assert.ok(after >= 29 + 14 * index, String(after));
});

Deno.test("a cancelled timer does not fire, and others do", async () => {
  const queue = new TimerQueue(10);
  const fired: string[] = [];
  const { promise: last, resolve } = Promise.withResolvers<void>();
  const cancel = queue.start(() => fired.push("cancelled"));
  queue.start(resolve);
  cancel();
  cancel();
  await last;
  assert.deepEqual(fired, []);
});

// The sanitizer of the test's operations would name a timer that goes on.
Deno.test("a queue whose timers were cancelled has no timer, and starts another", async () => {
  const queue = new TimerQueue(3_600_000);
  queue.start(() => {})();
  const short = new TimerQueue(1);
  short.start(() => {})();
  await new Promise<void>((resolve) => short.start(resolve));
});

Deno.test("a timer that is started when one fires has its own time", async () => {
  const queue = new TimerQueue(5);
  const begun = performance.now();
  await new Promise<void>((resolve) => queue.start(() => queue.start(resolve)));
  assert.ok(performance.now() - begun >= 9);
});

Deno.test("a timer that is started when one fires holds up none that was started before", async () => {
  const queue = new TimerQueue(400);
  const begun = performance.now();
  queue.start(() => queue.start(() => {}));
  await delay(10);
  const after = await new Promise<number>((resolve) => queue.start(() => resolve(performance.now() - begun)));
  assert.ok(after < 700, String(after));
  await delay(410);
});
