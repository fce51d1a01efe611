/**
 * The turns of the streams in a pool: callers that find all of them taken wait.
 *
 * @module
 */

import type { PoolSettings } from "@/plugins/contract.ts";
import { bounded } from "./bounded.ts";
import { DatabaseFailure } from "./database_failure.ts";

/**
 * Sessions that streams leave to other work, where the pool has as many: a client may read its stream slowly.
 */
const RESERVED = 2;

/** The user of a turn. */
export interface TurnUser {
  /** Undefined: the turn counts for no caller. */
  readonly caller?: string | undefined;
  /** Whether the stream is the result of a saved query, not a list. */
  readonly isQuery?: boolean;
}

interface Waiting extends PromiseWithResolvers<void> {
  readonly user: TurnUser;
}

/**
 * Gives out turns in the order of the calls, at most half of them (rounded up) to one caller, and at
 * most three quarters (rounded up) to lists or to saved queries: neither can keep the other waiting. A
 * caller waits at most `acquireTimeout`.
 */
export class Turns {
  readonly #seconds: number;
  /** Turns of one caller. */
  readonly #share: number;
  /** Turns of one kind. */
  readonly #most: number;
  readonly #waiting: Waiting[] = [];
  readonly #taken = new Map<string | undefined, number>();
  readonly #kinds = { list: 0, query: 0 };
  #free: number;

  constructor({ max, acquireTimeout }: Pick<PoolSettings, "max" | "acquireTimeout">, most = max - RESERVED) {
    this.#seconds = acquireTimeout;
    this.#free = Math.max(1, most);
    this.#share = Math.ceil(this.#free / 2);
    this.#most = this.#free - Math.floor(this.#free / 4);
  }

  /** Callers that wait for a turn. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Waits for a turn. The turn ends when the caller disposes of it or when the signal
   * is aborted, whichever is sooner.
   */
  async take(signal: AbortSignal, user: TurnUser = {}): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#mayTake(user)) this.#give(user);
    else await this.#wait(signal, user);
    const turn = this.#begin(signal, user);
    // A signal that was aborted before the listener was added does not call it.
    if (signal.aborted) turn[Symbol.dispose]();
    signal.throwIfAborted();
    return turn;
  }

  #mayTake({ caller, isQuery = false }: TurnUser): boolean {
    if (this.#free === 0 || this.#kinds[kindOf(isQuery)] >= this.#most) return false;
    return caller === undefined || (this.#taken.get(caller) ?? 0) < this.#share;
  }

  #give({ caller, isQuery = false }: TurnUser): void {
    this.#free--;
    this.#kinds[kindOf(isQuery)]++;
    this.#taken.set(caller, (this.#taken.get(caller) ?? 0) + 1);
  }

  #begin(signal: AbortSignal, user: TurnUser): Disposable {
    let isOver = false;
    const end = () => {
      signal.removeEventListener("abort", end);
      if (!isOver) this.#pass(user);
      isOver = true;
    };
    signal.addEventListener("abort", end, { once: true });
    return { [Symbol.dispose]: end };
  }

  #wait(signal: AbortSignal, user: TurnUser): Promise<void> {
    const turn = { ...Promise.withResolvers<void>(), user };
    this.#waiting.push(turn);
    return bounded(turn.promise, {
      signal,
      seconds: this.#seconds,
      expired: () => new DatabaseFailure("unavailable", "Too many streams are being read"),
      giveUp: () => this.#leave(turn),
    });
  }

  #leave(turn: Waiting): void {
    const at = this.#waiting.indexOf(turn);
    if (at >= 0) this.#waiting.splice(at, 1);
    // The turn has just been resolved: the next caller gets it.
    else this.#pass(turn.user);
  }

  #pass({ caller, isQuery = false }: TurnUser): void {
    this.#free++;
    this.#kinds[kindOf(isQuery)]--;
    const left = (this.#taken.get(caller) ?? 1) - 1;
    if (left > 0) this.#taken.set(caller, left);
    else this.#taken.delete(caller);
    // It may have kept several of them waiting, each for another reason.
    for (const next of [...this.#waiting]) {
      if (!this.#mayTake(next.user)) continue;
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#give(next.user);
      next.resolve();
    }
  }
}

function kindOf(isQuery: boolean): "list" | "query" {
  return isQuery ? "query" : "list";
}
