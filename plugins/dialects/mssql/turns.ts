/**
 * A limited number of turns: who finds all of them taken waits for one.
 *
 * @module
 */

export interface TurnOptions {
  readonly max: number;
  /** Milliseconds that one waits for a turn. */
  readonly limit: number;
  /** What is told when there is none in time. */
  overdue(): Error;
}

export class Turns {
  readonly #options: TurnOptions;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(options: TurnOptions) {
    this.#options = options;
    this.#free = options.max;
  }

  /** A turn ends when it is disposed of, however often. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (!isOver) this.#pass();
        isOver = true;
      },
    };
  }

  #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const settle = (end: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      const at = this.#waiting.indexOf(onTurn);
      if (at >= 0) this.#waiting.splice(at, 1);
      end();
    };
    const onTurn = () => settle(resolve);
    const onAbort = () => settle(() => reject(signal.reason));
    const timer = setTimeout(() => settle(() => reject(this.#options.overdue())), this.#options.limit);
    signal.addEventListener("abort", onAbort, { once: true });
    this.#waiting.push(onTurn);
    return promise;
  }

  #pass(): void {
    const next = this.#waiting[0];
    if (next) next();
    else this.#free++;
  }
}
