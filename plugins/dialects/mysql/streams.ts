/**
 * Streams: the rows of one statement as the server sends them, on a separate connection.
 *
 * @module
 */

import type { Row } from "@/plugins/contract.ts";
import { bounded, type Bounds } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import type { Place } from "./server.ts";
import { ReaderWatch } from "@/plugins/kit/reader_watch.ts";
import type { RowSource } from "./row_source.ts";
import type { MysqlPool, Session } from "./session.ts";
import { timeoutOf } from "./session_settings.ts";
import type { MysqlStatement } from "./statement.ts";
import type { Turns } from "@/plugins/kit/turns.ts";

/** One stream. */
export interface StreamRun {
  readonly statement: MysqlStatement;
  readonly parameters: readonly unknown[];
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** Rows per chunk. */
  readonly fetchSize: number;
}

/** The common parts of all streams of one login. */
export interface StreamPlace extends Pick<Place, "server" | "settings"> {
  readonly pool: MysqlPool;
  readonly turns: Turns;
}

/** The statement's limit applies to each chunk, and to the time until the reader takes it. */
export async function* streamRows(place: StreamPlace, run: StreamRun): AsyncGenerator<readonly Row[]> {
  const watch = new ReaderWatch({
    signal: run.signal,
    seconds: place.settings.statementTimeout,
    expired: (message) => new DatabaseFailure("timeout", message),
  });
  yield* watch.watch(readRows(place, { ...run, signal: watch.signal }));
}

async function* readRows(place: StreamPlace, run: StreamRun): AsyncGenerator<readonly Row[]> {
  using _turn = await place.turns.take(run.signal);
  const session = await place.pool.acquire(run.signal);
  const onAbort = () => place.pool.discard(session, run.signal.reason);
  run.signal.addEventListener("abort", onAbort, { once: true });
  // Set while the connection waits for the reader.
  let resting: RowSource | undefined;
  try {
    const rows = await begin(session, place, run);
    resting = rows;
    while (!rows.isDone) {
      run.signal.throwIfAborted();
      resting = undefined;
      const chunk = await bounded(rows.next(), boundsOf(session, place, run));
      resting = rows;
      if (chunk.length > 0) yield run.statement.decoder.decode(chunk, rows.fields);
    }
  } finally {
    run.signal.removeEventListener("abort", onAbort);
    if (resting) giveBack(session, resting, place, run);
    else place.pool.discard(session);
  }
}

/** Turns the server's time limit off, because it would include the pauses of the reader. */
async function begin(session: Session, { server }: StreamPlace, run: StreamRun): Promise<RowSource> {
  const { statement: { sql }, parameters, fetchSize } = run;
  await session.command(`SET SESSION ${timeoutOf(server, 0)}`);
  return session.stream(sql, parameters, fetchSize);
}

/** Gives a connection back without waiting for its reset. Unread rows would keep it busy, so it is then discarded. */
function giveBack(session: Session, rows: RowSource, place: StreamPlace, run: StreamRun): void {
  const { pool, server, settings } = place;
  if (!rows.isDone) return pool.discard(session);
  session.needsReset ||= run.statement.isWritten;
  if (session.needsReset) return pool.release(session);
  pool.recycle(session, () => session.command(`SET SESSION ${timeoutOf(server, settings.statementTimeout)}`));
}

function boundsOf(session: Session, { pool, settings }: StreamPlace, { signal }: StreamRun): Bounds {
  const { statementTimeout: seconds } = settings;
  return { signal, seconds, expired: () => late(seconds), giveUp: (reason) => pool.discard(session, reason) };
}

function late(seconds: number): DatabaseFailure {
  return new DatabaseFailure("timeout", `The statement took longer than ${seconds} seconds`);
}
