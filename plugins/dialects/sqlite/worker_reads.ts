/**
 * Long reads in a worker, with a time limit.
 *
 * @module
 */

import type { Row } from "@/plugins/contract.ts";
import { bounded, type Bounds } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import type { Lane, WorkerPool } from "./lane.ts";
import type { PackedRun } from "./protocol.ts";

/** Statements that read one snapshot of the database, and their limits. */
export interface WorkerRead {
  readonly runs: readonly PackedRun[];
  /** Above this number of rows, the remaining runs return none. */
  readonly mostRows?: number | undefined;
  readonly signal: AbortSignal;
  /** Seconds. */
  readonly statementTimeout: number;
}

/** The rows of each run. A worker that takes too long is stopped, and the read fails with a timeout. */
export async function readInWorker(pool: WorkerPool, read: WorkerRead): Promise<Row[][]> {
  const lane = await pool.acquire(read.signal);
  try {
    return await bounded(collect(lane, read), boundsOf(pool, lane, read));
  } finally {
    pool.release(lane);
  }
}

/** The limits of a statement in a worker; exceeding one ends the worker. */
export function boundsOf(
  pool: WorkerPool,
  lane: Lane,
  limits: { readonly signal?: AbortSignal | undefined; readonly statementTimeout: number },
): Bounds {
  return {
    signal: limits.signal,
    seconds: limits.statementTimeout,
    expired: () =>
      new DatabaseFailure("timeout", `The statement took longer than ${limits.statementTimeout} seconds`),
    giveUp: () => pool.discard(lane),
  };
}

async function collect(lane: Lane, { runs, mostRows }: WorkerRead): Promise<Row[][]> {
  const results: Row[][] = runs.map(() => []);
  for (
    let answer = await lane.ask({ kind: "read", runs, mostRows });
    answer.kind === "rows";
    answer = await lane.next()
  ) {
    const result = results[answer.run];
    for (const row of answer.rows) result?.push(row);
  }
  return results;
}
