/**
 * Reads a streamed answer ahead of its client, so that answers of up to a mebibyte need the database only
 * as long as it takes to read them.
 *
 * @module
 */

import type { MemoryRoom } from "@/core/base/client_memory.ts";
import { pause, TURN } from "@/core/base/cooperative.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Source } from "./send_body.ts";
import type { Bytes } from "./write_body.ts";

/** Bytes that wait for the client before reading stops. */
export const AHEAD = 2 ** 20;

/**
 * Milliseconds after which a client that has not asked for the next piece is
 * slow; a faster one sets the pace.
 */
const SLOW = 20;

/** Reads ahead of a slow client. */
export class ReadAhead implements Source {
  readonly #source: Source;
  readonly #room: MemoryRoom;
  readonly #ready: Bytes[] = [];
  #size = 0;
  /** Bytes of the piece that the client took last. */
  #taken = 0;
  #most = AHEAD;
  #state: "reading" | "read" | "over" = "reading";
  #failure: { readonly reason: unknown } | undefined;
  #work: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wake = Promise.withResolvers<void>();

  /** `room` counts the pieces that wait for the client; without room the client sets the pace. */
  constructor(source: Source, room: MemoryRoom) {
    this.#source = source;
    this.#room = room;
    this.#readLater();
  }

  async next(): Promise<Bytes | undefined> {
    clearTimeout(this.#timer);
    this.#room.release(this.#taken);
    this.#taken = 0;
    while (this.#ready.length === 0 && this.#work) {
      this.#wake = Promise.withResolvers();
      await this.#wake.promise;
    }
    const waiting = this.#ready.shift();
    if (this.#failure && !waiting) throw this.#failure.reason;
    if (waiting) this.#size -= this.#taken = waiting.length;
    const piece = waiting ?? await this.#readOne();
    if (piece) this.#readLater();
    return piece;
  }

  async end(): Promise<void> {
    this.#state = "over";
    clearTimeout(this.#timer);
    this.#ready.length = 0;
    this.#room.close();
    await this.#source.end();
  }

  #readLater(): void {
    if (this.#state === "reading") this.#timer = setTimeout(() => this.#read(), SLOW);
  }

  #read(): void {
    this.#work ??= this.#readNow().catch((reason: unknown) => {
      this.#failure = { reason };
    }).finally(() => {
      this.#work = undefined;
      this.#wake.resolve();
    });
  }

  async #readNow(): Promise<void> {
    for (let turn = performance.now() + TURN; this.#size < this.#most;) {
      const piece = await this.#readOne();
      if (!piece) return;
      this.#ready.push(piece);
      this.#size += piece.length;
      this.#count(piece.length);
      this.#wake.resolve();
      if (performance.now() < turn) continue;
      await pause();
      turn = performance.now() + TURN;
    }
  }

  async #readOne(): Promise<Bytes | undefined> {
    if (this.#state !== "reading") return undefined;
    const piece = await this.#source.next();
    if (piece && this.#mayGoOn()) return piece;
    if (this.#mayGoOn()) this.#state = "read";
    return undefined;
  }

  /** False once the client has left, possibly during a read. */
  #mayGoOn(): boolean {
    return this.#state !== "over";
  }

  #count(bytes: number): void {
    try {
      this.#room.add(bytes);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.#most = 0;
    }
  }
}
