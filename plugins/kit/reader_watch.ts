/**
 * Ends streams that nobody reads: a client that takes nothing would keep what its stream reads from for ever.
 *
 * @module
 */

/** When a stream ends. */
export interface WatchOptions {
  /** Ends the stream as well. */
  readonly signal: AbortSignal;
  /** Seconds that the reader may leave between two chunks. Zero: no limit. */
  readonly seconds: number;
  /** What the stream ends with then; the message says how long nobody has read it. */
  expired(message: string): Error;
}

/** Watches the reader of one stream. */
export class ReaderWatch {
  /** Aborted when the stream has to end, for whatever reason. */
  readonly signal: AbortSignal;
  readonly #over = new AbortController();
  readonly #options: WatchOptions;

  constructor(options: WatchOptions) {
    this.signal = AbortSignal.any([options.signal, this.#over.signal]);
    this.#options = options;
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
    const { seconds, expired } = this.#options;
    if (seconds <= 0 || this.signal.aborted) return () => {};
    const end = () => this.#over.abort(expired(`Nobody has read the stream for ${seconds} seconds`));
    const timer = setTimeout(end, seconds * 1000);
    timer.unref();
    const stop = () => {
      clearTimeout(timer);
      this.signal.removeEventListener("abort", stop);
    };
    this.signal.addEventListener("abort", stop, { once: true });
    return stop;
  }
}
