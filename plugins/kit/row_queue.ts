/**
 * The rows between the driver of a stream and its reader.
 *
 * @module
 */

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
