/**
 * A transaction that writes, on a connection that it holds alone.
 *
 * @module
 */

import type { Outcome, StatementText } from "@/plugins/contract.ts";
import { bounded, type Limits } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { transactionOverdue, type TransactionPort } from "@/plugins/kit/write_transaction.ts";
import { type Answer, FORGET, type Lane, lost } from "./lane.ts";
import type { ReaderOptions } from "./reader.ts";

/** The connection of a transaction, and its limits. */
export interface TransactionOptions extends ReaderOptions {
  readonly lane: Lane;
  /** The server refuses whatever would write. */
  readonly readOnly: boolean;
}

/** Seconds for a commit beyond the server's own limit. */
const GRACE = 1;
/** Seconds for a rollback; after that the connection is closed, which rolls back as well. */
const ROLLBACK_LIMIT = 5;

/**
 * Begins without a wait for the answer. The session is read-only by default, so a statement that missed the transaction
 * could not write. A failure to begin is the failure of the first statement.
 */
export class PostgresTransaction implements TransactionPort {
  readonly #options: TransactionOptions;
  readonly #begun: Promise<void>;

  constructor(options: TransactionOptions) {
    this.#options = options;
    this.#begun = options.lane.command(options.readOnly ? "BEGIN READ ONLY" : "BEGIN READ WRITE");
    this.#begun.catch(() => {});
  }

  run({ sql, verb }: StatementText, parameters: readonly unknown[], signal: AbortSignal): Promise<Outcome> {
    const { lane, hasSessions, statementTimeout: seconds } = this.#options;
    lane.needsReset ||= hasSessions && verb !== undefined;
    return bounded(this.#send(sql, parameters), {
      signal,
      seconds,
      expired: () => transactionOverdue(seconds),
      giveUp: () => void lane.abandon(),
    });
  }

  /** Commits. The wait is limited, because a server may never answer. */
  async commit(): Promise<void> {
    await this.#begun;
    const { statementTimeout } = this.#options;
    await this.#end("COMMIT", {
      seconds: statementTimeout > 0 ? statementTimeout + GRACE : 0,
      expired: () =>
        new DatabaseFailure("timeout", "The commit took too long: whether it was done is not known"),
    });
  }

  async rollback(): Promise<void> {
    if (this.#options.lane.condemned) throw lost();
    const expired = () => transactionOverdue(ROLLBACK_LIMIT);
    await this.#end(FORGET, { seconds: ROLLBACK_LIMIT, expired });
  }

  /** Releases the connection. A broken one is closed, unless it is already being abandoned: that ends it as well. */
  release(isBroken: boolean): void {
    const { pool, lane } = this.#options;
    if (isBroken && !lane.condemned) lane.destroy();
    pool.release(lane);
  }

  async #send(sql: string, parameters: readonly unknown[]): Promise<Answer> {
    const { lane, hasSessions } = this.#options;
    // Behind a pooler, a statement that is sent before the transaction has begun would not be in it.
    if (!hasSessions) await this.#begun;
    const [, answer] = await Promise.all([this.#begun, lane.run(sql, parameters, hasSessions)]);
    return answer;
  }

  #end(sql: string, limits: Limits): Promise<void> {
    const { lane } = this.#options;
    return bounded(lane.command(sql), { ...limits, giveUp: () => lane.destroy() });
  }
}
