/**
 * Memory budgets for data that is kept on behalf of clients: built answers that the client has not read
 * yet, and bodies of requests. They bound the memory of clients that send requests without reading, or
 * begin bodies without ending them.
 *
 * @module
 */

import { badRequest, type ServiceError, tryLater } from "@/core/errors.ts";

/** One client may use the budget divided by this. */
const SHARE = 4;

/** The errors to throw when the budget is exhausted. */
interface Refusals {
  /**
   * For a size that exceeds one client's part. Absent: the only entry of a client is accepted at any size.
   */
  readonly forGood?: () => ServiceError;
  readonly forNow: () => ServiceError;
}

/** Counts the bytes that are kept, for all clients together and for each. */
export class ClientMemory {
  readonly #most: number;
  readonly #refusals: Refusals;
  readonly #refused: () => void;
  readonly #waiting = new Map<string, number>();
  #total = 0;
  #rooms = 0;

  /**
   * `most`: bytes for all clients together. `refused` is called for each
   * answer or body that finds no room now.
   */
  constructor(most: number, refusals: Refusals = ANSWERS, refused: () => void = () => {}) {
    this.#most = most;
    this.#refusals = refusals;
    this.#refused = refused;
  }

  get total(): number {
    return this.#total;
  }

  /** The number of answers or bodies that are counted now. */
  get rooms(): number {
    return this.#rooms;
  }

  /** Notes that a room was closed. */
  leave(): void {
    this.#rooms--;
  }

  /**
   * Opens the room of one answer or body; `network` identifies the client. Its
   * first `free` bytes are not counted.
   */
  open(network: string, free = 0): MemoryRoom {
    this.#rooms++;
    return new MemoryRoom(this, network, free);
  }

  /**
   * Throws `forGood` for a size that is never accepted, or 503 while others use too much. `before`:
   * bytes already counted for this entry.
   */
  hold(network: string, bytes: number, before: number): void {
    const largest = this.#most / SHARE;
    const { forGood, forNow } = this.#refusals;
    if (forGood && before + bytes > largest) throw forGood();
    const own = this.#waiting.get(network) ?? 0;
    const isShareUsed = own > before && own + bytes > largest;
    if (isShareUsed || (this.#total > before && this.#total + bytes > this.#most)) {
      this.#refused();
      throw forNow();
    }
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

/** The bytes of one answer or body. */
export class MemoryRoom implements Disposable {
  readonly #memory: ClientMemory;
  readonly #network: string;
  #free: number;
  #held = 0;
  #isOpen = true;

  constructor(memory: ClientMemory, network: string, free: number) {
    this.#memory = memory;
    this.#network = network;
    this.#free = free;
  }

  /**
   * See {@link ClientMemory.hold}. A refused answer or body releases its bytes at once: of several that grow
   * side by side the others can then finish, instead of all being refused.
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

  /** Gives bytes back that the client has read. */
  release(bytes: number): void {
    const given = Math.min(bytes, this.#held);
    this.#held -= given;
    this.#memory.release(this.#network, given);
  }

  /** Gives all bytes back: the answer or body is finished or given up. */
  close(): void {
    this.release(this.#held);
    if (this.#isOpen) this.#memory.leave();
    this.#isOpen = false;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** 400 for an answer that exceeds what one client, or one text, may have. */
export function answerTooLarge(cause?: unknown): ServiceError {
  return badRequest("The answer is too large to be built at once: add a limit, or use stream=true", {
    cause,
  });
}

/** For {@link ClientMemory} of answers. */
export const ANSWERS: Refusals = {
  forGood: answerTooLarge,
  forNow: () => {
    const why = "too many others wait to be taken by their clients";
    return tryLater(`Cannot build this answer now: ${why}; try again later`, 10);
  },
};

/** For {@link ClientMemory} of bodies; `max_body_size` limits the size of one body. */
export const BODIES: Refusals = {
  forNow: () => tryLater("Cannot read this body now: too many others are being read; try again later", 10),
};
