/**
 * Budgets for what is kept on behalf of clients: answers that were built and not taken yet, and bodies of requests. A
 * client that asks and does not read, or sends and does not end, makes the service keep them.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";

/** One client may have this part of the budget. */
const SHARE = 4;
/** Seconds after which a client may try again. */
const RETRY_AFTER = "10";

/** What is thrown where there is no room. */
interface Refusals {
  /** For what takes up more than one client may have. Absent: what is there alone finds room, however large it is. */
  readonly forGood?: () => ServiceError;
  readonly forNow: () => ServiceError;
}

/** Bytes that are kept, of all clients and of each. */
export class ClientMemory {
  readonly #most: number;
  readonly #refusals: Refusals;
  readonly #waiting = new Map<string, number>();
  #total = 0;

  /** `most`: bytes for all clients together. */
  constructor(most: number, refusals: Refusals = ANSWERS) {
    this.#most = most;
    this.#refusals = refusals;
  }

  /** Bytes that are kept now. */
  get total(): number {
    return this.#total;
  }

  /** Room for one answer or body of a client; `network` is what counts as one client. Its first `free` bytes count as none. */
  open(network: string, free = 0): MemoryRoom {
    return new MemoryRoom(this, network, free);
  }

  /** Throws the refusal for what never finds room, or 503 while others take up too much. `before`: what it takes up already. */
  hold(network: string, bytes: number, before: number): void {
    const largest = this.#most / SHARE;
    const { forGood, forNow } = this.#refusals;
    if (forGood && before + bytes > largest) throw forGood();
    const own = this.#waiting.get(network) ?? 0;
    if (own > before && own + bytes > largest) throw forNow();
    if (this.#total > before && this.#total + bytes > this.#most) throw forNow();
    this.#waiting.set(network, own + bytes);
    this.#total += bytes;
  }

  release(network: string, bytes: number): void {
    const own = (this.#waiting.get(network) ?? 0) - bytes;
    if (own > 0) this.#waiting.set(network, own);
    else this.#waiting.delete(network);
    this.#total -= bytes;
  }
}

/** What one answer or body takes up. */
export class MemoryRoom implements Disposable {
  readonly #memory: ClientMemory;
  readonly #network: string;
  #free: number;
  #held = 0;

  constructor(memory: ClientMemory, network: string, free: number) {
    this.#memory = memory;
    this.#network = network;
    this.#free = free;
  }

  /**
   * See {@link ClientMemory.hold}. A refused answer or body gives its room back at once: of several that grow side by side
   * the others go on then, instead of all being refused.
   */
  add(bytes: number): void {
    const counted = bytes - this.#free;
    this.#free = Math.max(0, -counted);
    if (counted <= 0) return;
    try {
      this.#memory.hold(this.#network, counted, this.#held);
    } catch (error) {
      this.close();
      throw error;
    }
    this.#held += counted;
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

  [Symbol.dispose](): void {
    this.close();
  }
}

const ANSWERS: Refusals = {
  forGood: () =>
    new ServiceError(
      "bad-request",
      "The answer is too large to be built at once: add a limit, or use stream=true",
    ),
  forNow: () =>
    busy("Cannot build this answer now: too many others wait to be taken by their clients; try again later"),
};

/** For {@link ClientMemory} of bodies: how large one may be is for `max_body_size` to say. */
export const BODIES: Refusals = {
  forNow: () => busy("Cannot read this body now: too many others are being read; try again later"),
};

function busy(message: string): ServiceError {
  return new ServiceError("unavailable", message, { headers: { "Retry-After": RETRY_AFTER } });
}
