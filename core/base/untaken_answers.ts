/**
 * Answers that were given to the server whole, and that their clients may not have taken yet.
 *
 * @module
 */

/** Bytes, or characters, of all of them. */
const MOST = 32 * 2 ** 20;
/**
 * Milliseconds after which an answer counts as taken: most clients that send one request only have left then.
 */
const TAKEN = 60_000;

/** An answer: its size, and when it was given. */
interface Given {
  readonly bytes: number;
  readonly at: number;
}

/**
 * The server does not say when an answer was taken. A connection of HTTP/1 that sends its next request has
 * taken the one before.
 */
export class UntakenAnswers {
  /** By connection; the oldest first. */
  readonly #given = new Map<string, Given>();
  #bytes = 0;

  /** Notes the answer to a connection. False if there is no room for it: then it must be sent in slices. */
  note(connection: string, bytes: number, now: number = performance.now()): boolean {
    this.#forget(connection);
    if (this.#bytes + bytes > MOST) this.#forgetOld(now);
    if (this.#bytes + bytes > MOST) return false;
    this.#given.set(connection, { bytes, at: now });
    this.#bytes += bytes;
    return true;
  }

  #forgetOld(now: number): void {
    for (const [connection, { at }] of this.#given) {
      if (at > now - TAKEN) return;
      this.#forget(connection);
    }
  }

  #forget(connection: string): void {
    this.#bytes -= this.#given.get(connection)?.bytes ?? 0;
    this.#given.delete(connection);
  }
}
