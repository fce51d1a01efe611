/**
 * Runs the statements of one read on one snapshot.
 *
 * @module
 */

import type { Row } from "@/plugins/contract.ts";
import { boundedLater, statementLimits } from "@/plugins/kit/bounded.ts";
import { inTime, type MysqlPool, type Session } from "./session.ts";
import { classify } from "./failures.ts";
import type { MysqlStatement } from "./statement.ts";

/** A statement with the values of its placeholders. */
export interface BoundRun {
  readonly statement: MysqlStatement;
  readonly parameters: readonly unknown[];
}

/** The statements of one read, and their limits together. */
export interface BoundRead {
  readonly runs: readonly BoundRun[];
  readonly mostRows: number | undefined;
  /** Zero: no limit. */
  readonly seconds: number;
  /** Most reads are quick, so the signal is created only for slow ones. */
  ending(): AbortSignal;
}

/**
 * Each read has one connection of the pool. An idle connection may have been lost unnoticed, so a read is repeated once on
 * another.
 */
export async function read(pool: MysqlPool, wanted: BoundRead): Promise<readonly Row[][]> {
  if (wanted.runs.length === 0) return [];
  const idle = pool.take();
  try {
    if (idle) return await readOn(idle, pool, wanted);
  } catch (error) {
    if (idle?.alive || classify(error) !== "unavailable") throw error;
  }
  return await readOn(await pool.acquireSoon(wanted.ending), pool, wanted);
}

/** A statement that is too late, or whose caller has gone, is ended with its connection. */
async function readOn(session: Session, pool: MysqlPool, wanted: BoundRead): Promise<readonly Row[][]> {
  const limits = statementLimits(wanted.seconds);
  const bounds = { ...limits, giveUp: (reason: unknown) => pool.discard(session, reason) };
  try {
    return await boundedLater(inTime(() => readAll(session, wanted), limits), bounds, wanted.ending);
  } finally {
    session.needsReset ||= wanted.runs.some(({ statement }) => statement.isWritten);
    pool.release(session);
  }
}

/** One statement is a snapshot by itself. */
async function readAll(session: Session, { runs, mostRows = Infinity }: BoundRead): Promise<Row[][]> {
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
