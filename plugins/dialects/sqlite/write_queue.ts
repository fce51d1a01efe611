/**
 * Writes of one statement each. Those that wait for the writer at the same time are one transaction, and
 * share its commit: waiting for the disk is most of a small write.
 *
 * @module
 */

import type { Outcome } from "@/plugins/contract.ts";
import { later } from "@/plugins/kit/bounded.ts";
import { failureOf } from "./failures.ts";
import { type PackedResult, type PackedWrite, unpackRows } from "./protocol.ts";

/** Most writes, and about as many parameters, of one transaction: others wait no longer than it takes. */
const MOST_WRITES = 250;
const MOST_PARAMETERS = 10_000;
/** Most characters, about, of one message: other requests wait while the service's thread makes it. */
const MOST_TEXT = 1_000_000;

/** The writes of the next transaction. */
export interface NextWrites {
  /** The writes that wait now. Until {@link putBack}, an abort has no effect on them. */
  take(): readonly PackedWrite[];
  /** Puts the taken writes back: they have not run, and wait again. */
  putBack(): void;
}

/** Runs the writes that it takes last in one transaction; their results are on disk. */
export type Commit = (next: NextWrites) => Promise<readonly PackedResult[]>;

interface Waiting {
  readonly write: PackedWrite;
  /** The signal of its caller; absent until the write has waited for a moment. */
  signal?: AbortSignal;
  readonly turn: PromiseWithResolvers<Outcome>;
}

/** Runs one transaction at a time. */
export class WriteQueue {
  readonly #commit: Commit;
  #waiting: Waiting[] = [];
  #isRunning = false;
  /** Writes of the transaction before; their clients send their next ones meanwhile. */
  #before = 0;

  constructor(commit: Commit) {
    this.#commit = commit;
  }

  /** Writes that have not been taken. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Resolves when the write is on disk. An abort takes it out of the queue if it has to wait long; once
   * it runs, an abort has no effect.
   */
  async add(write: PackedWrite, options: { readonly signal: AbortSignal }): Promise<Outcome> {
    const waiting: Waiting = { write, turn: Promise.withResolvers<Outcome>() };
    const stop = later(() => this.#heed(waiting, options.signal));
    this.#waiting.push(waiting);
    if (!this.#isRunning) void this.#run();
    try {
      return await waiting.turn.promise;
    } finally {
      stop();
    }
  }

  #heed(waiting: Waiting, signal: AbortSignal): () => void {
    waiting.signal = signal;
    const leave = () => this.#leave(waiting, signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    return () => signal.removeEventListener("abort", leave);
  }

  #leave(waiting: Waiting, reason: unknown): void {
    if (!this.#waiting.includes(waiting)) return;
    this.#waiting = this.#waiting.filter((each) => each !== waiting);
    waiting.turn.reject(reason);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) await this.#runNext();
    this.#isRunning = false;
  }

  /** A failure is that of the writes that have waited for this transaction; later ones wait for the next. */
  async #runNext(): Promise<void> {
    let taken: readonly Waiting[] | undefined;
    const present = new Set(this.#waiting);
    const take = () => {
      taken = this.#take();
      return taken.map(({ write }) => write);
    };
    const putBack = () => {
      this.#putBack(taken ?? []);
      taken = undefined;
    };
    try {
      const results = await this.#commit({ take, putBack });
      for (const [at, { turn }] of (taken ?? []).entries()) settle(turn, results[at]);
    } catch (error) {
      const failed = taken ?? this.#waiting.filter((each) => present.has(each));
      this.#waiting = this.#waiting.filter((each) => !failed.includes(each));
      for (const { turn } of failed) turn.reject(error);
    }
  }

  #putBack(taken: readonly Waiting[]): void {
    this.#waiting.unshift(...taken);
    for (const waiting of taken) {
      if (waiting.signal?.aborted) this.#leave(waiting, waiting.signal.reason);
    }
  }

  /**
   * Half of the writes of all clients: the service prepares one half while the worker commits the other. If
   * all that wait were taken, most would be in one transaction, and both would wait for each other in turn.
   */
  #take(): readonly Waiting[] {
    const most = Math.min(MOST_WRITES, Math.ceil((this.#waiting.length + this.#before) / 2));
    let [count, parameters, text] = [0, 0, 0];
    for (const { write } of this.#waiting) {
      if (count === most || parameters > MOST_PARAMETERS || text > MOST_TEXT) break;
      count++;
      parameters += write.parameters.length;
      for (const value of write.parameters) text += lengthOf(value);
      for (const { rows } of write.looks) text += rows.length;
    }
    this.#before = count;
    return this.#waiting.splice(0, count);
  }
}

/** The length of a packed text or of packed bytes. */
function lengthOf(value: unknown): number {
  const text = typeof value === "object" && value !== null && "bytes" in value ? value.bytes : value;
  return typeof text === "string" ? text.length : 0;
}

function settle(turn: PromiseWithResolvers<Outcome>, result: PackedResult | undefined): void {
  if (!result) return turn.reject(new TypeError("The worker has not answered for every write"));
  if ("isOutdated" in result) return turn.resolve({ rows: [], changes: 0, isOutdated: true });
  if (!("changes" in result)) return turn.reject(failureOf(result));
  const { rows, packed, changes } = result;
  if (packed) unpackRows(rows);
  turn.resolve({ rows, changes });
}
