/**
 * Streams: the turns of those in a pool, where callers that find all of them taken wait, and the rows between
 * the driver of a stream and its reader.
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

/** Chunks that may wait to be read. */
const AHEAD = 2;

/** The driver's side: the connection, or the running statement. */
interface Driver {
  pause(): void;
  resume(): void;
}

/**
 * The rows of one statement between its driver, which gives one at a time, and its reader,
 * which takes chunks. While enough of them wait to be read, the driver pauses: the server
 * waits, and memory stays constant.
 */
export class RowQueue<Row> {
  readonly #size: number;
  readonly #driver: Driver;
  #rows: Row[] = [];
  #ended = false;
  #failure: { readonly reason: unknown } | undefined;
  #paused = false;
  #wake: (() => void) | undefined;

  /** `size`: the number of rows per chunk. */
  constructor(size: number, driver: Driver) {
    this.#size = Math.max(1, size);
    this.#driver = driver;
  }

  /** True once all rows were read. */
  get isDone(): boolean {
    return this.#ended && this.#rows.length === 0;
  }

  /** The next rows; fewer than the size only at the end. Rejects after a failure. */
  async next(): Promise<Row[]> {
    while (this.#rows.length < this.#size && !this.#ended && !this.#failure) await this.#more();
    if (this.#failure) throw this.#failure.reason;
    return this.#rows.splice(0, this.#size);
  }

  push(row: Row): void {
    this.#rows.push(row);
    if (this.#rows.length >= this.#size) this.#wake?.();
    if (this.#paused || this.#rows.length < this.#size * AHEAD) return;
    this.#paused = true;
    this.#driver.pause();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** The first reason counts. */
  fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#wake?.();
  }

  #more(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    if (this.#paused) {
      this.#paused = false;
      this.#driver.resume();
    }
    return promise;
  }
}
