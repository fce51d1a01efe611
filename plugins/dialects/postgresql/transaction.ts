/**
 * A transaction that writes, on a connection that it holds alone.
 *
 * @module
 */

import type { StatementText } from "@/plugins/contract.ts";
import { bounded, type Limits } from "@/plugins/kit/bounded.ts";
import { transactionOverdue, type TransactionPort, unknownOutcome } from "@/plugins/kit/write_transaction.ts";
import { lost } from "./failures.ts";
import type { Answer, Lane } from "./lane.ts";
import type { ReaderOptions } from "./reader.ts";

interface BeginOptions extends ReaderOptions {
  readonly lane: Lane;
  /** The server refuses whatever would write. */
  readonly readOnly: boolean;
  /** The server ends one of two transactions that depend on each other's changes. */
  readonly serial: boolean;
}

/** Seconds for a commit beyond the server's own limit. */
const GRACE = 1;
/** Seconds for a rollback; after that the connection is closed, which rolls back as well. */
const ROLLBACK_LIMIT = 5;

/**
 * Begins without a wait for the answer. The session is read-only by default, so a statement that missed the
 * transaction could not write. A failure to begin is the failure of the first statement.
 */
export function beginOn(options: BeginOptions): TransactionPort {
  const { lane, pool, statementTimeout, hasSessions, readOnly, serial } = options;
  const isolation = serial ? "ISOLATION LEVEL SERIALIZABLE " : "";
  const begun = lane.begin(`${isolation}${readOnly ? "READ ONLY" : "READ WRITE"}`);
  begun.catch(() => {});
  const end = (sql: string, limits: Limits) => {
    return bounded(lane.command(sql), { ...limits, giveUp: () => lane.destroy() });
  };
  return {
    run(statement, parameters, signal) {
      lane.needsReset ||= hasSessions && statement.verb !== undefined;
      return bounded(send(options, begun, statement, parameters), {
        signal,
        seconds: statementTimeout,
        expired: () => transactionOverdue(statementTimeout),
        giveUp: () => void lane.abandon(),
      });
    },
    /** The wait is limited, because a server may never answer. */
    async commit() {
      await begun;
      const seconds = statementTimeout > 0 ? statementTimeout + GRACE : 0;
      await end("COMMIT", { seconds, expired: () => unknownOutcome("commit") });
    },
    async rollback() {
      if (lane.condemned) throw lost();
      await end(lane.forget, { seconds: ROLLBACK_LIMIT, expired: () => transactionOverdue(ROLLBACK_LIMIT) });
    },
    /** A broken connection is closed, unless it is already being abandoned: that ends it as well. */
    release(isBroken) {
      if (isBroken && !lane.condemned) lane.destroy();
      pool.release(lane);
    },
  };
}

async function send(
  { lane, hasSessions }: BeginOptions,
  begun: Promise<void>,
  { sql, verb }: StatementText,
  parameters: readonly unknown[],
): Promise<Answer> {
  // Behind a pooler, a statement that is sent before the transaction has begun would not be in it.
  if (!hasSessions) await begun;
  // An outdated plan, as of `SELECT *`, would end the transaction; the reset behind a saved query drops all.
  const isPrepared = hasSessions && verb === undefined;
  const [, answer] = await Promise.all([begun, lane.run(sql, parameters, isPrepared)]);
  return answer;
}
