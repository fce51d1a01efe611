/**
 * Streams: a cursor on the server, in a read-only transaction. The next rows are fetched on request.
 *
 * @module
 */

import type { Row, Run, StreamOptions } from "@/plugins/contract.ts";
import { bounded, watchReader } from "@/plugins/kit/bounded.ts";
import { statementOf } from "@/plugins/kit/connected_database.ts";
import { codeOf, DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import type { Lane } from "./lane.ts";
import type { ReaderOptions } from "./reader.ts";
import { PostgresStatement } from "./statement.ts";

/** `statementTimeout` limits each chunk, and the time until the reader requests the next one. */
interface CursorOptions extends StreamOptions, ReaderOptions {}

/** Yields the rows of a run in chunks; the connection is given back at the end, or when the reader stops. */
export function readByCursor(run: Run, options: CursorOptions): AsyncGenerator<readonly Row[]> {
  const limits = { signal: options.signal, seconds: options.statementTimeout };
  return watchReader(limits, (signal) => readRows(run, { ...options, signal }));
}

async function* readRows(run: Run, options: CursorOptions): AsyncGenerator<readonly Row[]> {
  const { pool, signal, fetchSize, turn } = options;
  const { isSavedQuery } = statementOf(run, PostgresStatement);
  using _turn = await pool.streams.take(signal, { caller: turn, isQuery: isSavedQuery });
  const lane = await pool.acquire("work", signal);
  // While the reader is busy nothing runs, so others get the connection at once.
  const destroy = () => lane.destroy();
  try {
    await waitFor(open(lane, run), lane, options);
    while (true) {
      // Never prepared, because its result depends on the cursor.
      const { rows } = await waitFor(lane.run(`FETCH ${fetchSize} FROM rows`, [], false), lane, options);
      if (rows.length > 0) {
        signal.addEventListener("abort", destroy, { once: true });
        try {
          yield rows;
        } finally {
          signal.removeEventListener("abort", destroy);
        }
        signal.throwIfAborted();
      }
      if (rows.length < fetchSize) break;
    }
  } finally {
    // Nothing was written. A connection that cannot roll back is closed, which also rolls back.
    const rollback = isSavedQuery ? lane.forget : "ROLLBACK";
    if (!lane.condemned) await waitFor(lane.command(rollback), lane, options).catch(() => lane.destroy());
    lane.needsReset = isSavedQuery && options.hasSessions;
    pool.release(lane);
  }
}

async function open(lane: Lane, run: Run): Promise<void> {
  const declare = `DECLARE rows NO SCROLL CURSOR FOR ${statementOf(run, PostgresStatement).sql}`;
  const [began, declared] = await Promise.allSettled([
    lane.begin("READ ONLY"),
    lane.run(declare, run.parameters, false),
  ]);
  if (began.status === "rejected") throw began.reason;
  if (declared.status === "rejected") throw refusedCursor(declared.reason);
}

/** A statement that changes something cannot have a cursor, the only cause of this failure here. */
function refusedCursor(error: unknown): unknown {
  if (codeOf(error) !== "0A000") return error;
  return new DatabaseFailure("read-only", "The statement changes something", { cause: error });
}

function waitFor<T>(work: Promise<T>, lane: Lane, options: CursorOptions): Promise<T> {
  const { signal, statementTimeout: seconds } = options;
  return bounded(work, {
    signal,
    seconds,
    expired: () =>
      new DatabaseFailure("timeout", `A chunk of the stream took longer than ${seconds} seconds`),
    giveUp: () => void lane.abandon(),
  });
}
