/**
 * A connection to a server that may be restarted at any time.
 *
 * @module
 */

import { bounded } from "./bounded.ts";

/** How a connection begins and ends. */
interface Renewal<Connection> {
  /** Milliseconds that a request may take, the beginning of its connection included. */
  readonly timeout: number;
  /** Begins a connection; requests may use it at once, and fail if it cannot be made. */
  connect(): Connection;
  /** Ends a connection; the requests on it fail with the reason. */
  end(connection: Connection, reason: Error): void;
}

/** The server did not answer in time. */
class Silence extends Error {}

interface Present<Connection> {
  readonly connection: Connection;
  hasAnswered: boolean;
}

/** Connects on first use, and again after a failure. Requests may overlap. */
export class RenewedConnection<Connection> implements Disposable {
  readonly #renewal: Renewal<Connection>;
  #present: Present<Connection> | undefined;
  #isClosed = false;

  constructor(renewal: Renewal<Connection>) {
    this.#renewal = renewal;
  }

  /**
   * Sends a request. A restarted server has closed the old connection, which may be noticed on use
   * only; so a request that fails on a connection that has answered before is sent once more on a new
   * one. The server may see it twice.
   */
  async use<T>(request: (connection: Connection) => Promise<T>): Promise<T> {
    const wasUsed = this.#present?.hasAnswered === true;
    try {
      return await this.#useOnce(request);
    } catch (error) {
      if (!wasUsed || error instanceof Silence) throw error;
      return await this.#useOnce(request);
    }
  }

  /** Ends the connection; the next request makes a new one. */
  giveUp(reason: Error): void {
    if (this.#present) this.#end(this.#present, reason);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.giveUp(new Error("It was closed"));
  }

  async #useOnce<T>(request: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new Error("It was closed");
    const { timeout, connect } = this.#renewal;
    const present = this.#present ??= { connection: connect(), hasAnswered: false };
    const expired = () => new Silence("It does not answer");
    try {
      const answering = request(present.connection);
      const answer = await bounded(answering, { seconds: timeout / 1000, expired });
      present.hasAnswered = true;
      return answer;
    } catch (error) {
      // A connection that failed once may hold half an answer.
      this.#end(present, new Error("The connection was given up", { cause: error }));
      throw error;
    }
  }

  #end(present: Present<Connection>, reason: Error): void {
    if (this.#present === present) this.#present = undefined;
    this.#renewal.end(present.connection, reason);
  }
}
