/**
 * The running requests of Node's server. Those that a client sends before it has the answers to earlier ones
 * take turns: their answers have to wait for each other anyway, and without turns thousands of them, sent in
 * one piece, run at the same time.
 *
 * @module
 */

/** Requests that may wait on one connection; a client that sends more is closed. */
const MOST = 100;

interface Connection {
  readonly destroyed: boolean;
  destroy(): unknown;
}

/** The answer to a request. */
interface Outgoing {
  once(event: "close", listener: () => void): unknown;
}

/** The requests of one connection: whether one is running, and those that wait for it. */
interface Line {
  isBusy: boolean;
  readonly waiting: (() => void)[];
}

/** Counts the requests whose answer has not been sent, and lets those of one connection take turns. */
export class Pipelines {
  readonly #lines = new WeakMap<Connection, Line>();
  readonly #ends = Promise.withResolvers<void>();
  #running = 0;
  #isAwaited = false;

  /**
   * Resolves when the connection's earlier requests are answered, or it has ended; undefined: there are none.
   */
  turn(connection: Connection, outgoing: Outgoing): Promise<void> | undefined {
    const line = this.#lineOf(connection);
    const leave = () => this.#leave(line);
    if (!line.isBusy) {
      line.isBusy = true;
      this.#running++;
      outgoing.once("close", leave);
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    if (line.waiting.length >= MOST) connection.destroy();
    if (connection.destroyed) return Promise.resolve();
    line.waiting.push(resolve);
    return promise.then(() => {
      // An answer that never got its connection is not closed either.
      if (connection.destroyed) leave();
      else outgoing.once("close", leave);
    });
  }

  /** Resolves once no request is running. */
  end(): Promise<void> {
    this.#isAwaited = true;
    this.#look();
    return this.#ends.promise;
  }

  #lineOf(connection: Connection): Line {
    return this.#lines.getOrInsertComputed(connection, () => ({ isBusy: false, waiting: [] }));
  }

  /** The next request of the connection counts from now on in place of this one. */
  #leave(line: Line): void {
    const next = line.waiting.shift();
    if (next) return next();
    line.isBusy = false;
    this.#running--;
    this.#look();
  }

  #look(): void {
    if (this.#isAwaited && this.#running === 0) this.#ends.resolve();
  }
}
