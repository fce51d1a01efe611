/**
 * Timers of one length that rarely fire. Under load they share one timer of the runtime, which costs
 * more than all other work of a wait.
 *
 * @module
 */

import { Bag, type Bagged } from "./bag.ts";

interface Waiting extends Bagged {
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
  readonly fire: () => void;
}

/** Starts and cancels timers in constant time. */
export class TimerQueue {
  /** From the start of a timer to its call. */
  readonly milliseconds: number;
  readonly #waiting = new Bag<Waiting>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(milliseconds: number) {
    this.milliseconds = milliseconds;
  }

  /** Calls `fire` after the queue's time, unless the returned function is called before. */
  start(fire: () => void): () => void {
    const waiting = this.#waiting.add({ deadline: performance.now() + this.milliseconds, fire, place: -1 });
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
    const now = performance.now();
    const waiting = [...this.#waiting].toSorted((a, b) => a.deadline - b.deadline);
    const due = waiting.filter(({ deadline }) => deadline <= now);
    const next = waiting[due.length];
    this.#timer = next && setTimeout(this.#run, next.deadline - now);
    // A callback before this one may have cancelled it.
    for (const one of due) if (this.#waiting.delete(one)) one.fire();
  };
}
