/**
 * The turns of the streams in a pool: callers that find all of them taken wait.
 *
 * @module
 */

import type { PoolSettings } from "@/plugins/contract.ts";
import { bounded } from "./bounded.ts";
import { DatabaseFailure } from "./database_failure.ts";

/** Sessions that streams leave to other work, where the pool has as many: a client may read its stream slowly. */
const RESERVED = 2;

/** Gives out turns in the order of the calls. A caller waits at most `acquireTimeout` for one. */
export class Turns {
  readonly #seconds: number;
  readonly #waiting: PromiseWithResolvers<void>[] = [];
  #free: number;

  constructor({ max, acquireTimeout }: Pick<PoolSettings, "max" | "acquireTimeout">, most = max - RESERVED) {
    this.#seconds = acquireTimeout;
    this.#free = Math.max(1, most);
  }

  /**
   * Waits for a turn. The turn ends when the caller disposes of it or when the signal is aborted, whichever is sooner.
   */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    const turn = this.#begin(signal);
    // A signal that was aborted before the listener was added does not call it.
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
      seconds: this.#seconds,
      expired: () => new DatabaseFailure("unavailable", "Too many streams are being read"),
      giveUp: () => this.#leave(turn),
    });
  }

  #leave(turn: PromiseWithResolvers<void>): void {
    const at = this.#waiting.indexOf(turn);
    if (at >= 0) this.#waiting.splice(at, 1);
    // The turn has just been resolved: the next caller gets it.
    else this.#pass();
  }

  #pass(): void {
    const next = this.#waiting.shift();
    if (next) next.resolve();
    else this.#free++;
  }
}
