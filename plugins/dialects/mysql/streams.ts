/**
 * Streams: the rows of one statement as the server sends them, on a separate connection.
 *
 * @module
 */

import type { Row } from "@/plugins/contract.ts";
import { bounded, statementLimits, watchReader } from "@/plugins/kit/bounded.ts";
import type { RowQueue } from "@/plugins/kit/row_queue.ts";
import type { Turns } from "@/plugins/kit/turns.ts";
import type { BoundRun } from "./reader.ts";
import type { Place } from "./server.ts";
import type { MysqlPool, Session } from "./session.ts";
import { timeoutOf } from "./session_settings.ts";

/** One stream. */
export interface StreamRun extends BoundRun {
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
