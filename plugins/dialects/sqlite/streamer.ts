/**
 * Runs streams in the right place, and limits what they occupy: a client may read as slowly as it likes.
 *
 * @module
 */

import type { PoolSettings, Row } from "@/plugins/contract.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { isBusy } from "./failures.ts";
import type { Handle } from "./driver.ts";
import { openHandle, type OpenOptions } from "./handle.ts";
import type { WorkerPool } from "./lane.ts";
import { ReaderWatch } from "@/plugins/kit/reader_watch.ts";
import type { SqliteStatement } from "./statement.ts";
import { streamHere, streamInWorker } from "./streams.ts";
import { streamTurns, type Turns } from "@/plugins/kit/turns.ts";

/** The file, and the limits of its streams. */
export interface StreamerOptions {
  readonly file: string;
  readonly openOptions: OpenOptions;
  readonly settings: PoolSettings;
  readonly pool: WorkerPool;
}

/** One stream. */
export interface StreamRun {
  readonly statement: SqliteStatement;
  readonly parameters: readonly unknown[];
  /** True if it may run in the service's thread. */
  readonly isQuick: boolean;
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** Rows per chunk. */
  readonly fetchSize: number;
}

/** Handles of streams in the service's thread; each needs two or three file descriptors, and memory for its pages. */
export const MAX_HANDLES = 64;

/** Waits up to `acquireTimeout` for a turn, then rejects as unavailable. */
export class Streamer {
  readonly #options: StreamerOptions;
  readonly #workers: Turns;
  readonly #handles: Turns;

  constructor(options: StreamerOptions) {
    this.#options = options;
    this.#workers = streamTurns(options.settings);
    this.#handles = streamTurns(options.settings, MAX_HANDLES);
  }

  /** Rejects with a timeout if a worker takes longer than `statementTimeout` for a chunk, or the reader to request it. */
  async *stream(run: StreamRun): AsyncGenerator<readonly Row[]> {
    const watch = new ReaderWatch({
      signal: run.signal,
      seconds: this.#options.settings.statementTimeout,
      expired: (message) => new DatabaseFailure("timeout", message),
    });
    yield* watch.watch(this.#read({ ...run, signal: watch.signal }));
  }

  async *#read(run: StreamRun): AsyncGenerator<readonly Row[]> {
    if (run.isQuick && (yield* this.#readHere(run))) return;
    yield* this.#readInWorker(run);
  }

  /** False if the file is locked: a worker can wait. */
  async *#readHere(run: StreamRun): AsyncGenerator<readonly Row[], boolean> {
    using _turn = await this.#handles.take(run.signal);
    const handle = this.#openUnlessBusy();
    if (!handle) return false;
    yield* streamHere(handle, run);
    return true;
  }

  async *#readInWorker(run: StreamRun): AsyncGenerator<readonly Row[]> {
    const { signal, fetchSize } = run;
    const { pool, settings: { statementTimeout } } = this.#options;
    using _turn = await this.#workers.take(signal);
    const packed = run.statement.packed(run.parameters);
    yield* streamInWorker(pool, { run: packed, signal, fetchSize, statementTimeout });
  }

  /** A handle for one stream, which does not wait for locks either. */
  #openUnlessBusy(): Handle | undefined {
    const { file, openOptions } = this.#options;
    try {
      return openHandle(file, { ...openOptions, busyTimeout: 0 });
    } catch (error) {
      if (isBusy(error)) return undefined;
      throw error;
    }
  }
}
