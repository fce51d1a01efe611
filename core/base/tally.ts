/**
 * Events that a client or a failing part may repeat without end: the log has the first one at once, and later ones
 * together, once a minute.
 *
 * @module
 */

/** Milliseconds between two lines. */
const MINUTE = 60_000;

/** The events of one kind. */
export class Tally implements Disposable {
  readonly #tell: (count: number) => void;
  #untold = 0;
  #pause: ReturnType<typeof setTimeout> | undefined;

  /** `tell` logs events, with their number since the last line. */
  constructor(tell: (count: number) => void) {
    this.#tell = tell;
  }

  note(): void {
    this.#untold++;
    if (this.#pause === undefined) this.#tellNow();
  }

  /** Later events are logged at once, one by one. */
  [Symbol.dispose](): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
  }

  #tellNow(): void {
    const count = this.#untold;
    this.#untold = 0;
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      if (this.#untold > 0) this.#tellNow();
    }, MINUTE);
    this.#pause.unref();
    this.#tell(count);
  }
}
