/**
 * Runs the statements of one read on one snapshot.
 *
 * @module
 */

import type { PoolSettings, Row } from "@/plugins/contract.ts";
import { boundedLater, type Bounds } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { inTime } from "./answer.ts";
import { classify } from "./failures.ts";
import type { MysqlPool, Session } from "./session.ts";
import type { MysqlStatement } from "./statement.ts";

/** A statement with the values of its placeholders. */
export interface BoundRun {
  readonly statement: MysqlStatement;
  readonly parameters: readonly unknown[];
}

/** The statements of one read, and the limit of their rows together. */
interface BoundRead {
  readonly runs: readonly BoundRun[];
  readonly mostRows: number;
}

/** Most reads are quick, so the signal is created only for slow ones. */
type Ending = () => AbortSignal;

/** Each read has one connection of the pool. */
export class Reader {
  readonly #pool: MysqlPool;
  readonly #settings: PoolSettings;

  constructor(pool: MysqlPool, settings: PoolSettings) {
    this.#pool = pool;
    this.#settings = settings;
  }

  /** An idle connection may have been lost unnoticed, so a read is repeated once on another. */
  async read(runs: readonly BoundRun[], ending: Ending, mostRows = Infinity): Promise<readonly Row[][]> {
    const read = { runs, mostRows };
    if (runs.length === 0) return [];
    const idle = this.#pool.take();
    if (!idle) return await this.#readOn(await this.#pool.acquireSoon(ending), read, ending);
    try {
      return await this.#readOn(idle, read, ending);
    } catch (error) {
      if (idle.alive || classify(error) !== "unavailable") throw error;
      return await this.#readOn(await this.#pool.acquireSoon(ending), read, ending);
    }
  }

  /** A statement that is too late, or whose caller has gone, is ended with its connection. */
  async #readOn(session: Session, read: BoundRead, ending: Ending): Promise<readonly Row[][]> {
    const { statementTimeout } = this.#settings;
    const bounds: Bounds = {
      seconds: statementTimeout,
      expired: () =>
        new DatabaseFailure("timeout", `The statement took longer than ${statementTimeout} seconds`),
      giveUp: (reason) => this.#pool.discard(session, reason),
    };
    try {
      return await boundedLater(inTime(() => readAll(session, read), bounds), bounds, ending);
    } finally {
      session.needsReset ||= read.runs.some(({ statement }) => statement.isWritten);
      this.#pool.release(session);
    }
  }
}

/** One statement is a snapshot by itself. */
async function readAll(session: Session, { runs, mostRows }: BoundRead): Promise<readonly Row[][]> {
  const [first, ...others] = runs;
  if (first && others.length === 0) return [await readOne(session, first)];
  await session.command("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
  try {
    const results: Row[][] = [];
    let count = 0;
    for (const run of runs) {
      const rows = count > mostRows ? [] : await readOne(session, run);
      count += rows.length;
      results.push(rows);
    }
    return results;
  } finally {
    // A lost connection has ended its transaction.
    if (session.alive) await session.command("COMMIT");
  }
}

async function readOne(session: Session, { statement, parameters }: BoundRun): Promise<Row[]> {
  return statement.rowsOf(await session.run(statement.sql, parameters));
}
