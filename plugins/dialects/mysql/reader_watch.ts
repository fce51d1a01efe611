/**
 * Ends streams that nobody reads: a client that takes nothing would keep a connection for ever.
 *
 * @module
 */

import { MysqlFailure } from "./failures.ts";

export interface WatchOptions {
  /** Ends the stream as well. */
  readonly signal: AbortSignal;
  /** Seconds that the reader may leave between two chunks. Zero: no limit. */
  readonly seconds: number;
}

export class ReaderWatch {
  /** Aborted when the stream has to end, for whatever reason. */
  readonly signal: AbortSignal;
  readonly #over = new AbortController();
  readonly #seconds: number;

  constructor({ signal, seconds }: WatchOptions) {
    this.signal = AbortSignal.any([signal, this.#over.signal]);
    this.#seconds = seconds;
  }

  /** The same chunks. What gives them looks at {@link signal} and throws its reason when it is asked for one more. */
  async *watch<T>(chunks: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const chunk of chunks) {
      const stop = this.#expectReader();
      try {
        yield chunk;
      } finally {
        stop();
      }
    }
  }

  #expectReader(): () => void {
    if (this.#seconds <= 0 || this.signal.aborted) return () => {};
    const timer = setTimeout(() => this.#over.abort(this.#notRead()), this.#seconds * 1000);
    timer.unref();
    const stop = () => {
      clearTimeout(timer);
      this.signal.removeEventListener("abort", stop);
    };
    this.signal.addEventListener("abort", stop, { once: true });
    return stop;
  }

  #notRead(): MysqlFailure {
    return new MysqlFailure("timeout", `Nobody has read the stream for ${this.#seconds} seconds`);
  }
}
