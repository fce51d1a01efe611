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
  /** People wrote it, so it may leave something behind in its session. */
  readonly isWritten: boolean;
  /** It may change settings of its session: those of people, and those that read what runs their code. */
  readonly runsCode: boolean;
  /** Milliseconds that it usually takes; not known before the first run. */
  #usual = Infinity;

  constructor({ sql, verb, runsCode }: StatementText) {
    this.sql = sql;
    this.isWritten = verb !== undefined;
    this.runsCode = this.isWritten || (runsCode ?? false);
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
