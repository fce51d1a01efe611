/**
 * Reads: the statements of one read on one snapshot, and streams, which have the rows of one statement as the server sends
 * them.
 *
 * @module
 */

import type { Row, StreamOptions } from "@/plugins/contract.ts";
import { bounded, boundedLater, statementLimits } from "@/plugins/kit/bounded.ts";
import { readEach } from "@/plugins/kit/connected_database.ts";
import type { RowQueue } from "@/plugins/kit/streams.ts";
import { classify } from "./failures.ts";
import { type Place, timeoutOf } from "./server.ts";
import { inTime, type MysqlPool, type Session } from "./session.ts";
import type { MysqlStatement } from "./statement.ts";

/** A statement with the values of its placeholders. */
export interface BoundRun {
  readonly statement: MysqlStatement;
  readonly parameters: readonly unknown[];
}

/** The statements of one read, and their limits together. */
interface BoundRead {
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
  const idle = pool.take((session) => !session.mayWrite);
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
async function readAll(session: Session, { runs, mostRows }: BoundRead): Promise<Row[][]> {
  const [first, ...others] = runs;
  if (session.mayWrite) await session.permit(false);
  if (first && others.length === 0) return [await readOne(session, first)];
  await session.command("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
  try {
    return await readEach(runs, mostRows, (run) => readOne(session, run));
  } finally {
    // A lost connection has ended its transaction.
    if (session.alive) await session.command("COMMIT");
  }
}

async function readOne(session: Session, { statement, parameters }: BoundRun): Promise<Row[]> {
  return statement.rowsOf(await session.run(statement.sql, parameters));
}

/** Gives the session back. The statement's limit applies to each chunk. */
export async function* streamRows(
  session: Session,
  { statement, parameters }: BoundRun,
  { signal, fetchSize }: StreamOptions,
  { pool, server, settings: { statementTimeout } }: Pick<Place, "server" | "settings"> & {
    readonly pool: MysqlPool;
  },
): AsyncGenerator<readonly Row[]> {
  const discard = () => pool.discard(session, signal.reason);
  signal.addEventListener("abort", discard, { once: true });
  const bounds = { ...statementLimits(statementTimeout), signal, giveUp: discard };
  let rows: RowQueue<unknown[]> | undefined;
  try {
    if (session.mayWrite) await session.permit(false);
    // The server's own time limit would include the pauses of the reader.
    await session.command(`SET SESSION ${timeoutOf(server, 0)}`);
    const stream = session.stream(statement.sql, parameters, fetchSize);
    rows = stream.rows;
    while (!rows.isDone) {
      signal.throwIfAborted();
      const chunk = await bounded(rows.next(), bounds);
      if (chunk.length > 0) yield statement.decoder.decode(chunk, stream.fields);
    }
  } finally {
    signal.removeEventListener("abort", discard);
    session.needsReset ||= statement.isWritten;
    // Unread rows would keep the connection busy. The reader does not wait for the reset.
    if (!rows?.isDone) pool.discard(session);
    else if (session.needsReset) pool.release(session);
    else pool.recycle(session, () => session.command(`SET SESSION ${timeoutOf(server, statementTimeout)}`));
  }
}
