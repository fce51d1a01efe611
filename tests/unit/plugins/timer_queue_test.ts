import assert from "node:assert/strict";
import { TimerQueue } from "@/plugins/kit/timer_queue.ts";

/** Stands in for the clock and the timers of the runtime until disposed of. */
class Clock implements Disposable {
  readonly #real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
  #now = 0;
  #last = 0;
  readonly #timers = new Map<number, { readonly at: number; readonly work: () => void }>();

  constructor() {
    performance.now = () => this.#now;
    const set = (work: () => void, delay: number) => {
      this.#timers.set(++this.#last, { at: this.#now + delay, work });
      return this.#last;
    };
    globalThis.setTimeout = set as unknown as typeof setTimeout;
    globalThis.clearTimeout = ((timer: number) => this.#timers.delete(timer)) as typeof clearTimeout;
  }

  /** The number of timers of the runtime. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Lets milliseconds pass, one after the other. */
  pass(milliseconds: number): void {
    for (let passed = 0; passed < milliseconds; passed++) {
      this.#now++;
      const due = [...this.#timers].filter(([, { at }]) => at <= this.#now);
      for (const [timer, { work }] of due) if (this.#timers.delete(timer)) work();
    }
  }

  [Symbol.dispose](): void {
    Object.assign(globalThis, this.#real);
    Reflect.deleteProperty(performance, "now");
  }
}

Deno.test("timers fire in the order of their starts, each after its time", () => {
  using clock = new Clock();
  const queue = new TimerQueue(30);
  const fired: string[] = [];
  queue.start(() => fired.push("a"));
  clock.pass(15);
  queue.start(() => fired.push("b"));
  clock.pass(14);
  assert.deepEqual(fired, []);
  clock.pass(1);
  assert.deepEqual(fired, ["a"]);
  clock.pass(14);
  assert.deepEqual(fired, ["a"]);
  clock.pass(1);
  assert.deepEqual(fired, ["a", "b"]);
});

Deno.test("many timers share one timer of the runtime", () => {
  using clock = new Clock();
  const queue = new TimerQueue(30);
  for (let count = 0; count < 10; count++) queue.start(() => {});
  assert.equal(clock.timers, 1);
});

Deno.test("a cancelled timer does not fire, and others do", () => {
  using clock = new Clock();
  const queue = new TimerQueue(10);
  const fired: string[] = [];
  const cancel = queue.start(() => fired.push("cancelled"));
  queue.start(() => fired.push("other"));
  cancel();
  cancel();
  clock.pass(10);
  assert.deepEqual(fired, ["other"]);
});

Deno.test("a queue whose timers were cancelled has no timer, and starts another", () => {
  using clock = new Clock();
  const queue = new TimerQueue(10);
  queue.start(() => {})();
  assert.equal(clock.timers, 0);
  const fired: string[] = [];
  queue.start(() => fired.push("next"));
  clock.pass(10);
  assert.deepEqual(fired, ["next"]);
});

Deno.test("a timer that is started when one fires has its own time, and holds up none before it", () => {
  using clock = new Clock();
  const queue = new TimerQueue(400);
  const fired: string[] = [];
  queue.start(() => {
    fired.push("first");
    queue.start(() => fired.push("third"));
  });
  clock.pass(10);
  queue.start(() => fired.push("second"));
  clock.pass(390);
  assert.deepEqual(fired, ["first"]);
  clock.pass(10);
  assert.deepEqual(fired, ["first", "second"]);
  clock.pass(389);
  assert.deepEqual(fired, ["first", "second"]);
  clock.pass(1);
  assert.deepEqual(fired, ["first", "second", "third"]);
});
