/**
 * A transaction of an engine, on a connection that it holds alone.
 *
 * @module
 */

import type { Engine, EngineTransactions } from "@/plugins/contract.ts";
import type { Limits } from "./bounded.ts";
import { DatabaseFailure } from "./database_failure.ts";
import type { EngineSession } from "./engine_session.ts";
import type { SessionPool } from "./session_pool.ts";
import { transactionOverdue, type TransactionPort } from "./write_transaction.ts";

/** The engine, and how its work is limited. */
interface TransactionWork<Connection> {
  readonly engine: Engine<Connection>;
  readonly transactions: EngineTransactions<Connection>;
  /** Zero: no limit. */
  readonly seconds: number;
  within<T>(limits: Limits, work: (connection: Connection) => T | Promise<T>): Promise<T>;
}

/** The transaction that a session has begun. */
export function transactionOn<Connection>(
  session: EngineSession<Connection>,
  pool: SessionPool<EngineSession<Connection>>,
  { engine, transactions, seconds, within }: TransactionWork<Connection>,
): TransactionPort {
  const limits = { seconds, expired: () => transactionOverdue(seconds) };
  return {
    run(text, parameters, signal) {
      session.hasRunQuery ||= text.verb !== undefined;
      return within({ ...limits, signal }, (at) => engine.query(at, text, parameters));
    },
    commit: () =>
      within({ seconds, expired: () => unknownOutcome("commit") }, (at) => transactions.commit(at)),
    rollback: () => within(limits, (at) => transactions.rollback(at)),
    release: (isBroken) => isBroken ? pool.discard(session) : pool.release(session),
  };
}

/** Makes the failure of a commit, or of a write that is committed at once, whose answer is late. */
export function unknownOutcome(work: "commit" | "write"): DatabaseFailure {
  return new DatabaseFailure("timeout", `The ${work} took too long: whether it was done is not known`);
}

/** Makes the failure of a transaction of an engine without transactions. */
export function onlyReads(): DatabaseFailure {
  return new DatabaseFailure("read-only", "The database is only read");
}
