/**
 * A transaction that writes, with a session for itself.
 *
 * @module
 */

import type { Outcome, Row } from "@/plugins/contract.ts";
import type { Limits } from "@/plugins/kit/bounded.ts";
import { transactionOverdue, type TransactionPort } from "@/plugins/kit/write_transaction.ts";
import { resultColumnOf } from "./describe.ts";
import { certainlyReads } from "./reading.ts";
import type { MssqlPool, Session } from "./session.ts";
import { type MssqlStatement, statementFor } from "./statement.ts";

/** Seconds for a rollback; after that the connection is closed, which also rolls back. */
const ROLLBACK_LIMIT = 5;

/**
 * The transaction that a session has begun. `seconds` limit the commit; zero: no limit. If it is read-only,
 * statements with words that write are refused.
 */
export function transactionOn(
  session: Session,
  pool: MssqlPool,
  { seconds, readOnly }: { readonly seconds: number; readonly readOnly: boolean },
): TransactionPort {
  /** Set while a statement runs that changes the session when it fails. */
  let remedy: string | undefined;
  return {
    async run(text, parameters, signal) {
      const statement = statementFor(text);
      if (readOnly) certainlyReads(statement);
      remedy = statement.remedy;
      const outcome = await runOn(session, statement, { parameters, limits: { signal, ...within(0) } });
      remedy = undefined;
      return outcome;
    },
    commit: () => session.commit(within(seconds)),
    async rollback() {
      if (session.alive) await session.rollback(within(ROLLBACK_LIMIT), remedy);
    },
    release: (isBroken) => isBroken ? pool.discard(session) : pool.release(session),
  };
}

/** Runs a statement that may write, in the transaction of the session or as one of its own. */
export async function runOn(
  session: Session,
  statement: MssqlStatement,
  { parameters, limits }: { readonly parameters: readonly unknown[]; readonly limits: Limits },
): Promise<Outcome> {
  const rows: Row[] = [];
  let last = 0;
  const running = session.start(statement.command(parameters), limits, (cells, result) => {
    // Results of triggers come before that of the statement itself.
    if (result !== last) rows.length = 0;
    last = result;
    rows.push(statement.decode(cells));
  });
  const changes = await running.finished;
  const columns = statement.isSavedQuery ? { columns: running.columns.map(resultColumnOf) } : {};
  return { changes, rows, ...columns };
}

function within(seconds: number): Limits {
  return { seconds, expired: () => transactionOverdue(seconds) };
}
