/**
 * A transaction that writes, on a connection that it holds alone.
 *
 * @module
 */

import type { Outcome, ResultColumn, SingleWrite } from "@/plugins/contract.ts";
import { bounded, boundedLater } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { transactionOverdue, type TransactionPort } from "@/plugins/kit/write_transaction.ts";
import { type Answer, inTime, type MysqlPool, type Session } from "./session.ts";
import { resultColumnOf } from "./describe.ts";
import type { Place } from "./server.ts";
import { MysqlStatement } from "./statement.ts";

interface WriteOptions {
  readonly pool: MysqlPool;
  readonly identityStep: number;
  /** Zero: no limit. */
  readonly seconds: number;
  /** Created only for a slow write, see {@link boundedLater}. */
  ending(): AbortSignal;
}

/**
 * The transaction that a session has begun. An operation that takes too long ends the connection, and with it the
 * transaction.
 */
export function transactionOn(
  session: Session,
  pool: MysqlPool,
  { identityStep, settings: { statementTimeout: seconds } }: Pick<Place, "identityStep" | "settings">,
): TransactionPort {
  const bounds = {
    seconds,
    expired: () => transactionOverdue(seconds),
    giveUp: (reason: unknown) => pool.discard(session, reason),
  };
  return {
    async run(text, parameters, signal) {
      const statement = new MysqlStatement(text);
      session.needsReset ||= statement.isWritten;
      const work = inTime(() => session.run(text.sql, parameters), bounds);
      const answer = await bounded(work, { ...bounds, signal });
      const outcome = outcomeOf(statement, answer, identityStep);
      return statement.isWritten ? { ...outcome, columns: columnsOf(answer) } : outcome;
    },
    commit: () => bounded(session.command("COMMIT"), bounds),
    rollback: () => bounded(session.command("ROLLBACK"), bounds),
    release: (isBroken) => isBroken ? pool.discard(session) : pool.release(session),
  };
}

/** Runs one statement, which the server commits at once. It is killed with its connection when a limit is reached. */
export async function writeOn(
  session: Session,
  { statement: text, parameters }: Pick<SingleWrite, "statement" | "parameters">,
  { pool, ending, identityStep, seconds }: WriteOptions,
): Promise<Outcome> {
  const giveUp = (reason: unknown) => pool.discard(session, reason);
  const message = "The write took too long: whether it was done is not known";
  const expired = () => new DatabaseFailure("timeout", message);
  try {
    const answer = await boundedLater(run(), { seconds, expired, giveUp }, ending);
    return outcomeOf(new MysqlStatement(text), answer, identityStep);
  } finally {
    pool.release(session);
  }

  async function run(): Promise<Answer> {
    if (!session.mayWrite) await session.permit(true);
    return await session.run(text.sql, parameters);
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
