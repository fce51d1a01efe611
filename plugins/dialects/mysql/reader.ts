/**
 * Reads: the statements of one read on one snapshot, and streams, which have the rows of one statement as the server sends
 * them.
 *
 * @module
 */

import type { Row } from "@/plugins/contract.ts";
import { bounded, boundedLater, statementLimits, watchReader } from "@/plugins/kit/bounded.ts";
import { readEach } from "@/plugins/kit/connected_database.ts";
import type { RowQueue, Turns } from "@/plugins/kit/streams.ts";
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
async function readAll(session: Session, { runs, mostRows }: BoundRead): Promise<Row[][]> {
  const [first, ...others] = runs;
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

/** One stream. */
interface StreamRun extends BoundRun {
  readonly signal: AbortSignal;
  readonly fetchSize: number;
}

/** The common parts of all streams of one login. */
interface StreamPlace extends Pick<Place, "server" | "settings"> {
  readonly pool: MysqlPool;
  readonly turns: Turns;
}

/** The statement's limit applies to each chunk, and to the time until the reader takes it. */
export function streamRows(place: StreamPlace, run: StreamRun): AsyncGenerator<readonly Row[]> {
  const limits = { signal: run.signal, seconds: place.settings.statementTimeout };
  return watchReader(limits, (signal) => readRows(place, { ...run, signal }));
}

async function* readRows(place: StreamPlace, run: StreamRun): AsyncGenerator<readonly Row[]> {
  const { pool, server, settings: { statementTimeout } } = place;
  const { statement: { sql, decoder }, parameters, signal, fetchSize } = run;
  using _turn = await place.turns.take(signal);
  const session = await pool.acquire(signal);
  const discard = () => pool.discard(session, signal.reason);
  signal.addEventListener("abort", discard, { once: true });
  const bounds = { ...statementLimits(statementTimeout), signal, giveUp: discard };
  let rows: RowQueue<unknown[]> | undefined;
  try {
    // The server's own time limit would include the pauses of the reader.
    await session.command(`SET SESSION ${timeoutOf(server, 0)}`);
    const stream = session.stream(sql, parameters, fetchSize);
    rows = stream.rows;
    while (!rows.isDone) {
      signal.throwIfAborted();
      const chunk = await bounded(rows.next(), bounds);
      if (chunk.length > 0) yield decoder.decode(chunk, stream.fields);
    }
  } finally {
    signal.removeEventListener("abort", discard);
    // Unread rows would keep the connection busy.
    if (rows?.isDone) giveBack(session, place, run);
    else pool.discard(session);
  }
}

/** Does not wait for the reset of the connection. */
function giveBack(session: Session, { pool, server, settings }: StreamPlace, run: StreamRun): void {
  session.needsReset ||= run.statement.isWritten;
  if (session.needsReset) return pool.release(session);
  pool.recycle(session, () => session.command(`SET SESSION ${timeoutOf(server, settings.statementTimeout)}`));
}
