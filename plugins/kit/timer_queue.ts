/**
 * Timers of one length that rarely fire. Under load they share one timer of the runtime, which costs
 * more than all other work of a wait.
 *
 * @module
 */

interface Waiting {
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
  readonly fire: () => void;
}

/** Starts and cancels timers in constant time. */
export class TimerQueue {
  /** From the start of a timer to its call. */
  readonly milliseconds: number;
  /** In the order of their deadlines, which is that of their starts. */
  readonly #waiting = new Set<Waiting>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(milliseconds: number) {
    this.milliseconds = milliseconds;
  }

  /** Calls `fire` after the queue's time, unless the returned function is called before. */
  start(fire: () => void): () => void {
    const waiting = { deadline: performance.now() + this.milliseconds, fire };
    this.#waiting.add(waiting);
    this.#timer ??= setTimeout(this.#run, this.milliseconds);
    return () => this.#cancel(waiting);
  }

  /** A queue without timers must not keep the process alive. */
  #cancel(waiting: Waiting): void {
    if (!this.#waiting.delete(waiting) || this.#waiting.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  readonly #run = (): void => {
    this.#timer = undefined;
    for (const waiting of this.#waiting) {
      const rest = waiting.deadline - performance.now();
      if (rest > 0) {
        this.#timer ??= setTimeout(this.#run, rest);
        return;
      }
      this.#waiting.delete(waiting);
      waiting.fire();
    }
  };
}
