/**
 * Turns of work that keeps the event loop busy, such as building large answers. Between two looks at the
 * network such work runs for a few milliseconds, so small requests pass; callers alternate.
 *
 * @module
 */

import type { Eventual } from "./eventual.ts";

/** Begins work that has waited, and settles the promise of its caller. */
type Begin = () => void;

/** Milliseconds of work after which the network comes first. A longer step is not cut. */
const SPAN = 4;

/**
 * Milliseconds of work after which the event loop rests: Deno polls the network only when nothing
 * else is ready, or after some sixty wakes. Without a rest each small request waits for thirty
 * large answers (measured: 100 ms).
 */
const SHIFT = 30;
const REST = 2;

/** Milliseconds of short work after which it waits, too. Sending its answers takes as long again. */
const SHORT_SHIFT = 20;

/** Gives a few turns at a time. A turn lasts until its work ends; long work pauses between its steps. */
export class FairTurns {
  readonly #most: number;
  readonly #now: () => number;
  /** Work that waits for its turn, by caller; the caller whose turn is next comes first. */
  readonly #waiting = new Map<string, Begin[]>();
  /** Work that has its turn and waits for its next step. */
  readonly #paused: (() => void)[] = [];
  #running = 0;
  /** Milliseconds of work since the last look at the network. */
  #spent = 0;
  /** The time of the last rest, on the given clock. */
  #restedAt = -Infinity;
  /** A timer will give the next turns. */
  #isTimed = false;
  /** The last turn went on with paused work, so waiting work is next. */
  #hasGoneOn = false;

  /** `most`: work that may have begun and not ended. `now`: milliseconds. */
  constructor(most: number, now: () => number = () => performance.now()) {
    this.#most = most;
    this.#now = now;
  }

  /** Pieces of work that wait for their turn. */
  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, queue) => sum + queue.length, 0);
  }

  /**
   * Runs the work of a caller: at once if a turn is free, else later. Short work, of two milliseconds,
   * begins at once for a while: waiting would double its cost, because what is made for an old promise
   * outlives young generation collections.
   */
  run<T>(caller: string, work: () => Eventual<T>, isShort = false): Eventual<T> {
    const mayBegin = isShort ? this.#spent < SHORT_SHIFT : this.#mayBegin && this.#waiting.size === 0;
    if (mayBegin) return this.#begin(work);
    const { promise, resolve } = Promise.withResolvers<T>();
    const begin = () => resolve(Promise.try(() => this.#begin(work)));
    this.#waiting.getOrInsertComputed(caller, () => []).push(begin);
    this.#lookSoon();
    return promise;
  }

  /** Waits for the next step: other requests run before it. */
  pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#paused.push(resolve);
    this.#lookSoon();
    return promise;
  }

  get #mayBegin(): boolean {
    return this.#spent < SPAN && this.#running < this.#most;
  }

  #begin<T>(work: () => Eventual<T>): Eventual<T> {
    const started = this.#now();
    this.#running++;
    this.#lookSoon();
    let result: Eventual<T> | undefined;
    try {
      result = work();
      return result instanceof Promise ? result.finally(() => this.#leave()) : result;
    } finally {
      this.#spent += this.#now() - started;
      if (!(result instanceof Promise)) this.#leave();
    }
  }

  #leave(): void {
    this.#running--;
    if (this.#waiting.size > 0) this.#lookSoon();
  }

  /**
   * Only a timer lets other requests run: while anything is due immediately, as with `setImmediate`,
   * Deno rarely polls the network (measured: other requests waited for half a second). It is set before
   * the work, so that no time is lost.
   */
  #lookSoon(): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    setTimeout(() => this.#give(), 0);
  }

  /** Whether it is time to rest. Other work, as of a server that sends answers, counts as well. */
  #mustRest(): boolean {
    const now = this.#now();
    if (now - this.#restedAt < SHIFT) return false;
    this.#restedAt = now;
    return true;
  }

  /** One step of paused work, or as much waiting work as the span has room for; they alternate. */
  #give(): void {
    if (this.#mustRest()) return void setTimeout(() => this.#give(), REST);
    this.#isTimed = false;
    this.#spent = 0;
    if (this.#paused.length > 0 && !(this.#hasGoneOn && this.#mayBegin && this.#waiting.size > 0)) {
      this.#hasGoneOn = true;
      // A step lasts longer than the span.
      this.#spent = SPAN;
      this.#paused.shift()?.();
    } else {
      this.#hasGoneOn = false;
      while (this.#mayBegin && this.#waiting.size > 0) this.#next()?.();
    }
    if (this.#paused.length > 0 || (this.#waiting.size > 0 && this.#running < this.#most)) this.#lookSoon();
  }

  /** The oldest work of the first caller, who then comes last. */
  #next(): Begin | undefined {
    for (const [caller, queue] of this.#waiting) {
      this.#waiting.delete(caller);
      const begin = queue.shift();
      if (queue.length > 0) this.#waiting.set(caller, queue);
      return begin;
    }
    return undefined;
  }
}
