/**
 * Streams: the rows of one statement, as they come, on a connection of their own.
 *
 * @module
 */

import type { PoolSettings, Row } from "@/plugins/contract.ts";
import { bounded, type Bounds } from "@/plugins/kit/bounded.ts";
import { MysqlFailure } from "./failures.ts";
import type { SessionPool } from "./pool.ts";
import { ReaderWatch } from "@/plugins/kit/reader_watch.ts";
import type { Server } from "./server.ts";
import type { Session } from "./session.ts";
import { timeoutOf } from "./session_settings.ts";
import type { MysqlStatement } from "./statement.ts";
import { Turns } from "@/plugins/kit/turns.ts";

export interface StreamRun {
  readonly statement: MysqlStatement;
  readonly parameters: readonly unknown[];
  readonly signal: AbortSignal;
  readonly fetchSize: number;
}

/** Connections that are left for what is no stream, where there are as many: a client may read as slowly as it likes. */
const RESERVED = 2;

/** How many streams may be read at the same time. */
export function streamTurns({ max, acquireTimeout }: PoolSettings): Turns {
  return new Turns({
    max: Math.max(1, max - RESERVED),
    seconds: acquireTimeout,
    busy: () => new MysqlFailure("unavailable", "Too many streams are being read"),
  });
}

export interface StreamPlace {
  readonly pool: SessionPool;
  readonly turns: Turns;
  readonly server: Server;
  readonly settings: PoolSettings;
}

/** The statement's limit holds for each chunk, and for how long the reader leaves one. */
export async function* streamRows(place: StreamPlace, run: StreamRun): AsyncGenerator<readonly Row[]> {
  const watch = new ReaderWatch({
    signal: run.signal,
    seconds: place.settings.statementTimeout,
    expired: (message) => new MysqlFailure("timeout", message),
  });
  yield* watch.watch(readRows(place, { ...run, signal: watch.signal }));
}

async function* readRows(place: StreamPlace, run: StreamRun): AsyncGenerator<readonly Row[]> {
  using _turn = await place.turns.take(run.signal);
  const session = await place.pool.acquire(run.signal);
  const onAbort = () => place.pool.discard(session, run.signal.reason);
  run.signal.addEventListener("abort", onAbort, { once: true });
  let isWhole = false;
  try {
    // The server's own limit counts the time in which the reader rests.
    await session.command(`SET SESSION ${timeoutOf(place.server, 0)}`);
    yield* chunksOf(session, place, run);
    await session.command(`SET SESSION ${timeoutOf(place.server, place.settings.statementTimeout)}`);
    isWhole = true;
  } finally {
    run.signal.removeEventListener("abort", onAbort);
    // Rows that nobody reads would keep the connection busy.
    if (isWhole && !run.statement.leavesTraces) place.pool.release(session);
    else place.pool.discard(session);
  }
}

async function* chunksOf(
  session: Session,
  { pool, settings: { statementTimeout } }: StreamPlace,
  { statement, parameters, signal, fetchSize }: StreamRun,
): AsyncGenerator<readonly Row[]> {
  const source = session.stream(statement.sql, parameters, fetchSize);
  const bounds: Bounds = {
    signal,
    seconds: statementTimeout,
    expired: () => new MysqlFailure("timeout", `The statement took longer than ${statementTimeout} seconds`),
    giveUp: (reason) => pool.discard(session, reason),
  };
  while (!source.isDone) {
    signal.throwIfAborted();
    const rows = await bounded(source.next(), bounds);
    if (rows.length > 0) yield statement.decoder.decode(rows, source.fields);
  }
}
