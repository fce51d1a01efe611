/**
 * A budget for answers that were built and that their clients have not taken yet: a client that asks and does not read
 * makes the service keep what it asked for.
 *
 * @module
 */

import { ServiceError } from "./errors.ts";

/** One client may have this part of the budget. */
const SHARE = 4;
/** Seconds after which a client may try again. */
const RETRY_AFTER = "10";

/** Bytes that wait, of all clients and of each. */
export class AnswerMemory {
  readonly #most: number;
  readonly #waiting = new Map<string, number>();
  #total = 0;

  /** `most`: bytes for all clients together. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Bytes that wait now. */
  get total(): number {
    return this.#total;
  }

  /** Room for one answer to a client; `network` is what counts as one client. */
  open(network: string): AnswerRoom {
    return new AnswerRoom(this, network);
  }

  /** Throws 400 for an answer that never finds room, 503 while others take up too much. */
  hold(network: string, bytes: number, before: number): void {
    const largest = this.#most / SHARE;
    if (before + bytes > largest) throw tooLarge();
    const own = (this.#waiting.get(network) ?? 0) + bytes;
    if (own > largest || this.#total + bytes > this.#most) throw tooMuch();
    this.#waiting.set(network, own);
    this.#total += bytes;
  }

  release(network: string, bytes: number): void {
    const own = (this.#waiting.get(network) ?? 0) - bytes;
    if (own > 0) this.#waiting.set(network, own);
    else this.#waiting.delete(network);
    this.#total -= bytes;
  }
}

/** What one answer takes up. */
export class AnswerRoom {
  readonly #memory: AnswerMemory;
  readonly #network: string;
  #held = 0;

  constructor(memory: AnswerMemory, network: string) {
    this.#memory = memory;
    this.#network = network;
  }

  /** See {@link AnswerMemory.hold}. */
  add(bytes: number): void {
    this.#memory.hold(this.#network, bytes, this.#held);
    this.#held += bytes;
  }

  /** The client has taken so much. */
  release(bytes: number): void {
    const given = Math.min(bytes, this.#held);
    this.#held -= given;
    this.#memory.release(this.#network, given);
  }

  /** Nothing of it is kept any more. */
  close(): void {
    this.release(this.#held);
  }
}

function tooLarge(): ServiceError {
  return new ServiceError(
    "bad-request",
    "The answer is too large to be built at once: add a limit, or use stream=true",
  );
}

function tooMuch(): ServiceError {
  return new ServiceError(
    "unavailable",
    "Cannot build this answer now: too many others wait to be taken by their clients; try again later",
    { headers: { "Retry-After": RETRY_AFTER } },
  );
}
