/**
 * A transaction that writes, with a session for itself.
 *
 * @module
 */

import type { Outcome, Row, StatementText } from "@/plugins/contract.ts";
import type { Limits } from "@/plugins/kit/bounded.ts";
import { transactionOverdue, type TransactionPort } from "@/plugins/kit/write_transaction.ts";
import { requireReading } from "./reading.ts";
import { resultColumnOf } from "./result_columns.ts";
import type { Session } from "./session.ts";
import { MssqlStatement } from "./statement.ts";

/** The session of a transaction. */
export interface TransactionOptions {
  /** A session that has begun the transaction. */
  readonly session: Session;
  /** Seconds for the commit. Zero: no limit. */
  readonly seconds: number;
  /** Statements with words that write are refused. */
  readonly readOnly: boolean;
  /** Gives the session back. */
  release(): void;
}

/** Seconds for a rollback; after that the connection is closed, which also rolls back. */
const ROLLBACK_LIMIT = 5;

/** Resets the session if a statement has changed it. */
export class MssqlTransaction implements TransactionPort {
  readonly #options: TransactionOptions;
  /** Set while a statement runs that changes the session when it fails. */
  #remedy: string | undefined;

  constructor(options: TransactionOptions) {
    this.#options = options;
  }

  async run(text: StatementText, parameters: readonly unknown[], signal: AbortSignal): Promise<Outcome> {
    const { readOnly, session } = this.#options;
    const statement = new MssqlStatement(text);
    if (readOnly) requireReading(statement);
    this.#remedy = statement.remedy;
    const rows: Row[] = [];
    const running = session.start(
      statement.command(parameters),
      { signal, ...within(0) },
      (cells) => rows.push(statement.decode(cells)),
    );
    const changes = await running.finished;
    this.#remedy = undefined;
    return {
      changes,
      rows,
      ...(statement.isWritten ? { columns: running.columns.map(resultColumnOf) } : {}),
    };
  }

  commit(): Promise<void> {
    return this.#options.session.commit(within(this.#options.seconds));
  }

  async rollback(): Promise<void> {
    const { session } = this.#options;
    if (session.alive) await session.rollback(within(ROLLBACK_LIMIT), this.#remedy);
  }

  release(isBroken: boolean): void {
    if (isBroken) this.#options.session.close();
    this.#options.release();
  }
}

function within(seconds: number): Limits {
  return { seconds, expired: () => transactionOverdue(seconds) };
}
