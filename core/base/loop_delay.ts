/**
 * How long events of a thread wait for the event loop, for `/metrics`.
 *
 * @module
 */

/** Milliseconds between two looks at the event loop, and for which a delay is shown. */
const LOOK = 100;
const SHOWN = 60_000;

/** Measures how long events of this thread wait because others are being handled. */
export class LoopDelay implements Disposable {
  readonly #timer: ReturnType<typeof setInterval>;
  /** The longest delays of the last seconds, in milliseconds, with their time. */
  #longest: { readonly at: number; readonly delay: number }[] = [];

  constructor() {
    let last = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.#note(now, Math.max(0, now - last - LOOK));
      last = now;
    }, LOOK);
    this.#timer.unref();
  }

  /** The longest delay of the last minute, in seconds. */
  get seconds(): number {
    return (this.#longest[0]?.delay ?? 0) / 1000;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  /** Keeps only delays that no later one exceeds: the first is the longest. */
  #note(at: number, delay: number): void {
    const kept = this.#longest.filter((each) => each.delay > delay && at - each.at < SHOWN);
    this.#longest = [...kept, { at, delay }];
  }
}
