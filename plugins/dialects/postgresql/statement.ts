/**
 * A statement that is kept, and what is known of how long it takes.
 *
 * @module
 */

import type { StatementText } from "@/plugins/contract.ts";

/** Milliseconds. What usually takes longer has a connection of its own. */
const QUICK = 20;
/** Milliseconds. What usually takes less may be sent together with others. */
const NO_TIME = 2;
/** How much one run counts for what is usual. */
const WEIGHT = 0.2;

/** It belongs to no connection: each one prepares its text for itself. */
export class PostgresStatement {
  readonly sql: string;
  /** True for a saved query, which may change its session: others get the session after it is reset. */
  readonly isWritten: boolean;
  /** Milliseconds that it usually takes; not known before the first run. */
  #usual = Infinity;

  constructor({ sql, verb }: StatementText) {
    this.sql = sql;
    this.isWritten = verb !== undefined;
  }

  /** True where others may wait for it without noticing. */
  get isQuick(): boolean {
    return this.#usual < QUICK;
  }

  /** True where it does not even matter to wait for some of them. */
  get takesNoTime(): boolean {
    return this.#usual < NO_TIME;
  }

  /** Notes how long a run took. */
  took(milliseconds: number): void {
    this.#usual = this.#usual === Infinity
      ? milliseconds
      : this.#usual + (milliseconds - this.#usual) * WEIGHT;
  }
}
