/**
 * Streams: a chunk is read on request, on a handle that no other request uses.
 *
 * @module
 */

import { setImmediate } from "node:timers/promises";
import type { Row } from "@/plugins/contract.ts";
import { bounded } from "@/plugins/kit/bounded.ts";
import { type Cursor, openCursor } from "./cursor.ts";
import type { Handle } from "./driver.ts";
import type { Lane, WorkerPool } from "./lane.ts";
import type { PackedRun, Request } from "./protocol.ts";
import type { SqliteStatement } from "./statement.ts";
import { boundsOf } from "./worker_reads.ts";

interface StreamRequest {
  readonly signal: AbortSignal;
  readonly fetchSize: number;
}

interface LocalStream extends StreamRequest {
  readonly statement: SqliteStatement;
  readonly parameters: readonly unknown[];
}

interface WorkerStream extends StreamRequest {
  readonly run: PackedRun;
  /** Seconds for one chunk, without the time of the client. */
  readonly statementTimeout: number;
}

/** A quick statement, chunk by chunk in the service's thread; other work runs in between. */
export async function* streamHere(handle: Handle, stream: LocalStream): AsyncGenerator<readonly Row[]> {
  const { signal, fetchSize } = stream;
  const cursor = openOwnCursor(handle, stream);
  signal.addEventListener("abort", cursor.close, { once: true });
  try {
    for (let rows = cursor.next(fetchSize); rows.length > 0; rows = cursor.next(fetchSize)) {
      yield rows;
      await setImmediate();
      signal.throwIfAborted();
    }
  } finally {
    signal.removeEventListener("abort", cursor.close);
    cursor.close();
  }
}

/** A cursor that also closes its handle, even if preparing the statement fails. */
function openOwnCursor(handle: Handle, { statement, parameters }: LocalStream): Cursor {
  try {
    const cursor = openCursor(handle.prepare(statement.text.sql).raw(), parameters, statement.decoder);
    const close = () => {
      if (handle.open) cursor.close();
      handle.close();
    };
    return { next: cursor.next, close };
  } catch (error) {
    handle.close();
    throw error;
  }
}

/** A long statement, stepped through by its own worker. */
export async function* streamInWorker(
  pool: WorkerPool,
  stream: WorkerStream,
): AsyncGenerator<readonly Row[]> {
  const { run, fetchSize, signal } = stream;
  const lane = await pool.acquire(signal);
  const giveUp = () => pool.discard(lane);
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    let request: Request = { kind: "open", run, fetchSize };
    for (;;) {
      signal.throwIfAborted();
      const answer = await bounded(lane.ask(request), boundsOf(pool, lane, stream));
      if (answer.kind !== "rows") return;
      yield answer.rows;
      request = { kind: "next" };
    }
  } finally {
    signal.removeEventListener("abort", giveUp);
    leave(pool, lane);
  }
}

/** The worker closes the statement, if still open, before it reads the next request. */
function leave(pool: WorkerPool, lane: Lane): void {
  if (lane.alive) lane.send({ kind: "close" });
  pool.release(lane);
}
