/**
 * Ends streams without a reader: a client that takes no bytes would hold the session of its stream for ever.
 *
 * @module
 */

/** The conditions that end a stream. */
export interface WatchOptions {
  /** Ends the stream when it is aborted, as the time limit does. */
  readonly signal: AbortSignal;
  /** Seconds that may pass between two chunks before the reader takes the next one. Zero: no limit. */
  readonly seconds: number;
  /** Makes the error that ends an overdue stream. The message says for how long the stream had no reader. */
  expired(message: string): Error;
}

/** Watches the reader of one stream. */
export class ReaderWatch {
  /** Aborted when the stream must end, by the caller or by the time limit. */
  readonly signal: AbortSignal;
  readonly #over = new AbortController();
  readonly #options: WatchOptions;

  constructor(options: WatchOptions) {
    this.signal = AbortSignal.any([options.signal, this.#over.signal]);
    this.#options = options;
  }

  /** Passes the chunks on. Their source checks {@link signal} before each chunk and throws its reason. */
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
