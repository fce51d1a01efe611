/**
 * Turns of work that keeps the event loop busy, such as building large answers. Between two looks at the network one
 * step of such work runs, so small requests pass; callers alternate.
 *
 * @module
 */

import type { Eventual } from "./eventual.ts";

type Go = () => void;

/** Gives a few turns at a time. A turn lasts until its work ends; long work pauses between its steps. */
export class FairTurns {
  readonly #most: number;
  /** Work that waits for its turn, by caller; the caller whose turn is next comes first. */
  readonly #waiting = new Map<string, Go[]>();
  /** Work that has its turn and waits for its next step. */
  readonly #paused: Go[] = [];
  #running = 0;
  /** A step has run since the last look at the network, and a timer will give the next turn. */
  #isTaken = false;
  /** The last turn went on with paused work, so waiting work is next. */
  #hasGoneOn = false;

  /** `most`: work that may have begun and not ended. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Pieces of work that wait for their turn. */
  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, queue) => sum + queue.length, 0);
  }

  /** Runs the work of a caller: at once if a turn is free, else later. */
  run<T>(caller: string, work: () => Eventual<T>): Eventual<T> {
    if (this.#isTaken || this.#running >= this.#most) return this.#wait(caller).then(() => this.#begin(work));
    this.#take();
    this.#running++;
    return this.#begin(work);
  }

  /** Waits for the next step: other requests run before it. */
  pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#paused.push(resolve);
    if (!this.#isTaken) this.#take();
    return promise;
  }

  #wait(caller: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.getOrInsertComputed(caller, () => []).push(resolve);
    return promise;
  }

  #begin<T>(work: () => Eventual<T>): Eventual<T> {
    let result: Eventual<T>;
    try {
      result = work();
    } catch (error) {
      this.#leave();
      throw error;
    }
    if (result instanceof Promise) return result.finally(() => this.#leave());
    this.#leave();
    return result;
  }

  #leave(): void {
    this.#running--;
    if (!this.#isTaken && this.#waiting.size > 0) this.#take();
  }

  /**
   * Only a timer lets other requests run: while anything is due immediately, as with `setImmediate`, Deno rarely polls
   * the network (measured: other requests waited for half a second). It is set before the step, so that no time is lost.
   */
  #take(): void {
    this.#isTaken = true;
    setTimeout(() => this.#give(), 0);
  }

  #give(): void {
    this.#isTaken = false;
    const mayBegin = this.#waiting.size > 0 && this.#running < this.#most;
    if (mayBegin && (this.#hasGoneOn || this.#paused.length === 0)) {
      this.#hasGoneOn = false;
      this.#running++;
      this.#take();
      this.#next()?.();
      return;
    }
    const goOn = this.#paused.shift();
    if (!goOn) return;
    this.#hasGoneOn = true;
    this.#take();
    goOn();
  }

  /** The oldest work of the first caller, who then comes last. */
  #next(): Go | undefined {
    for (const [caller, queue] of this.#waiting) {
      this.#waiting.delete(caller);
      const go = queue.shift();
      if (queue.length > 0) this.#waiting.set(caller, queue);
      return go;
    }
    return undefined;
  }
}
