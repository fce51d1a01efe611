/**
 * A limited number of turns: who finds all of them taken waits for one.
 *
 * @module
 */

import type { PoolSettings } from "@/plugins/contract.ts";
import { bounded } from "./bounded.ts";
import { DatabaseFailure } from "./database_failure.ts";

/** How many turns there are. */
export interface TurnOptions {
  readonly max: number;
  /** Seconds that one waits for a turn. Zero: no limit. */
  readonly seconds: number;
  /** What the wait ends with when there is none in time. */
  busy(): Error;
}

/** Sessions that are left for work that is no stream, where there are as many: a client may read as slowly as it likes. */
const RESERVED = 2;

/** The turns of streams. The wait for one takes no longer than `acquireTimeout`. */
export function streamTurns({ max, acquireTimeout }: PoolSettings, most: number = max - RESERVED): Turns {
  return new Turns({
    max: Math.max(1, most),
    seconds: acquireTimeout,
    busy: () => new DatabaseFailure("unavailable", "Too many streams are being read"),
  });
}

/** Gives out turns, in the order in which they were asked for. */
export class Turns {
  readonly #options: TurnOptions;
  readonly #waiting: PromiseWithResolvers<void>[] = [];
  #free: number;

  constructor(options: TurnOptions) {
    this.#options = options;
    this.#free = options.max;
  }

  /** A turn ends when it is disposed of or, if that is sooner, when the signal is aborted. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    const turn = this.#begin(signal);
    // A signal that was aborted just now tells nobody any more.
    if (signal.aborted) turn[Symbol.dispose]();
    signal.throwIfAborted();
    return turn;
  }

  #begin(signal: AbortSignal): Disposable {
    let isOver = false;
    const end = () => {
      signal.removeEventListener("abort", end);
      if (!isOver) this.#pass();
      isOver = true;
    };
    signal.addEventListener("abort", end, { once: true });
    return { [Symbol.dispose]: end };
  }

  #wait(signal: AbortSignal): Promise<void> {
    const turn = Promise.withResolvers<void>();
    this.#waiting.push(turn);
    return bounded(turn.promise, {
      signal,
      seconds: this.#options.seconds,
      expired: () => this.#options.busy(),
      giveUp: () => this.#leave(turn),
    });
  }

  #leave(turn: PromiseWithResolvers<void>): void {
    const at = this.#waiting.indexOf(turn);
    if (at >= 0) this.#waiting.splice(at, 1);
    // Its turn has just come: it goes to the next one.
    else this.#pass();
  }

  #pass(): void {
    const next = this.#waiting.shift();
    if (next) next.resolve();
    else this.#free++;
  }
}
