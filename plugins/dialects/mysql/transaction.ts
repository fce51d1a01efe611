/**
 * A transaction that writes, on a connection that it holds alone.
 *
 * @module
 */

import type { Outcome, ResultColumn, StatementText } from "@/plugins/contract.ts";
import { bounded } from "@/plugins/kit/bounded.ts";
import { transactionOverdue, type TransactionPort } from "@/plugins/kit/write_transaction.ts";
import { type Answer, inTime, type MysqlPool, type Session } from "./session.ts";
import { resultColumnOf } from "./describe.ts";
import { MysqlStatement } from "./statement.ts";

/** The connection of a transaction, and its release. */
export interface TransactionOptions {
  /** A connection that has begun the transaction. */
  readonly session: Session;
  readonly pool: MysqlPool;
  /** Seconds for a statement, and again for the commit. Zero: no limit. */
  readonly statementTimeout: number;
  /** The step between counted keys. */
  readonly identityStep: number;
}

/** An operation that takes too long ends the connection, and with it the transaction. */
export class MysqlTransaction implements TransactionPort {
  readonly #options: TransactionOptions;

  constructor(options: TransactionOptions) {
    this.#options = options;
  }

  async run(text: StatementText, parameters: readonly unknown[], signal: AbortSignal): Promise<Outcome> {
    const { session, identityStep, statementTimeout: seconds } = this.#options;
    const statement = new MysqlStatement(text);
    session.needsReset ||= statement.isWritten;
    const limits = { seconds, expired: () => transactionOverdue(seconds) };
    const answer = await this.#bounded(inTime(() => session.run(text.sql, parameters), limits), signal);
    const outcome = outcomeOf(statement, answer, identityStep);
    return statement.isWritten ? { ...outcome, columns: columnsOf(answer) } : outcome;
  }

  commit(): Promise<void> {
    return this.#bounded(this.#options.session.command("COMMIT"));
  }

  rollback(): Promise<void> {
    return this.#bounded(this.#options.session.command("ROLLBACK"));
  }

  release(isBroken: boolean): void {
    const { pool, session } = this.#options;
    if (isBroken) pool.discard(session);
    else pool.release(session);
  }

  #bounded<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
    const { session, pool, statementTimeout: seconds } = this.#options;
    return bounded(work, {
      signal,
      seconds,
      expired: () => transactionOverdue(seconds),
      giveUp: (reason) => pool.discard(session, reason),
    });
  }
}

function columnsOf(answer: Answer): readonly ResultColumn[] {
  return "rows" in answer ? answer.fields.map(resultColumnOf) : [];
}

const WRITING = /^\s*(insert|replace|update|delete)\b/i;

/**
 * Returned rows count as changed. A server without `RETURNING` reports the first key that it counted up: it reserves the
 * keys of one INSERT together, so the others follow in steps, whatever other clients insert.
 */
export function outcomeOf(statement: MysqlStatement, answer: Answer, identityStep: number): Outcome {
  if ("rows" in answer) {
    const rows = statement.rowsOf(answer);
    return { rows, changes: WRITING.test(statement.sql) ? rows.length : 0 };
  }
  const { affectedRows, insertId } = answer.header;
  const firstIdentity = BigInt(insertId);
  const identity = firstIdentity > 0n ? { firstIdentity, identityStep } : {};
  return { rows: [], changes: affectedRows, ...identity };
}
