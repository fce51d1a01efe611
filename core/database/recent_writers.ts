/**
 * The callers that have written lately and read the primary for that reason, in all workers of the process.
 *
 * @module
 */

import type { ReadOptions } from "@/plugins/contract.ts";

/** The caller of a request, and its id. */
export type RequestCaller = Pick<ReadOptions, "turn" | "requestId">;

/** Milliseconds in which a request that has written reads what it wrote. */
const OWN = 5000;
/** Entries from which on expired ones are looked for. */
const MANY = 1000;

/** The writers of one database. */
export class RecentWriters implements Disposable {
  readonly #sticky: number;
  readonly #channel: BroadcastChannel | undefined;
  /** The end of each entry, in milliseconds of `performance.now()`, by caller and by request. */
  readonly #until = new Map<string, number>();
  #sweepAt = MANY;

  /** `seconds`: how long a caller reads the primary after a write; 0: only the request itself does. */
  constructor(database: string, seconds: number) {
    this.#sticky = seconds * 1000;
    if (seconds === 0) return;
    // A channel reaches the threads of one process.
    this.#channel = new BroadcastChannel(`rowhouse writers ${database}`);
    this.#channel.onmessage = ({ data }: MessageEvent<string>) => this.#keep(`turn ${data}`, this.#sticky);
  }

  /** Notes a write when it begins, so that other workers know in time, and when it is done. */
  note({ turn, requestId }: RequestCaller): void {
    if (requestId !== undefined) this.#keep(`request ${requestId}`, OWN);
    if (turn === undefined || this.#sticky === 0) return;
    this.#keep(`turn ${turn}`, this.#sticky);
    this.#channel?.postMessage(turn);
  }

  /** Whether the request has to see what was written. */
  has({ turn, requestId }: RequestCaller): boolean {
    if (this.#until.size === 0) return false;
    const latest = Math.max(
      this.#until.get(`turn ${turn}`) ?? 0,
      this.#until.get(`request ${requestId}`) ?? 0,
    );
    return latest > performance.now();
  }

  [Symbol.dispose](): void {
    this.#channel?.close();
  }

  #keep(key: string, milliseconds: number): void {
    const now = performance.now();
    this.#until.set(key, now + milliseconds);
    if (this.#until.size < this.#sweepAt) return;
    for (const [known, end] of this.#until) if (end <= now) this.#until.delete(known);
    this.#sweepAt = Math.max(MANY, 2 * this.#until.size);
  }
}
