/**
 * A cached statement: its text, and how long it usually takes.
 *
 * @module
 */

import type { StatementText } from "@/plugins/contract.ts";

/** Milliseconds. A statement that usually takes longer has a connection for itself. */
const QUICK = 20;
/** Milliseconds. Statements that usually take less are sent together. */
const NO_TIME = 2;
/** Weight of one run in the average. */
const WEIGHT = 0.2;

/** Independent of connections: each one prepares its text itself. */
export class PostgresStatement {
  readonly sql: string;
  /** True for a saved query, which may change its session: the session is reset before others get it. */
  readonly isSavedQuery: boolean;
  /** Average duration in milliseconds; Infinity before the first run. */
  #usual = Infinity;

  constructor({ sql, verb }: StatementText) {
    this.sql = sql;
    this.isSavedQuery = verb !== undefined;
  }

  /**
   * True if others can wait for it unnoticed. Only such a statement is prepared: after five runs the server
   * plans a prepared one without its values, and takes each range for a narrow one.
   */
  get isQuick(): boolean {
    return this.#usual < QUICK;
  }

  /** True if others can wait for several of them unnoticed. */
  get takesNoTime(): boolean {
    return this.#usual < NO_TIME;
  }

  /** Records the duration of a run. */
  took(milliseconds: number): void {
    this.#usual = this.#usual === Infinity
      ? milliseconds
      : this.#usual + (milliseconds - this.#usual) * WEIGHT;
  }
}
