/**
 * Streams: a chunk is read on request, on a handle or in a worker that no other request uses.
 *
 * @module
 */

import { setImmediate } from "node:timers/promises";
import type { PoolSettings, Row, StreamOptions } from "@/plugins/contract.ts";
import { watchReader } from "@/plugins/kit/bounded.ts";
import { Turns, type TurnUser } from "@/plugins/kit/turns.ts";
import { type Cursor, openCursor } from "./decode.ts";
import type { Handle } from "./driver.ts";
import { isBusy } from "./failures.ts";
import { packRun } from "./protocol.ts";
import type { SqliteStatement } from "./statement.ts";
import type { WorkerPool } from "./worker_pool.ts";

interface StreamerOptions {
  /** Opens the file with a handle that does not wait for locks. */
  open(): Handle;
  readonly settings: PoolSettings;
  readonly pool: WorkerPool;
}

interface StreamRun extends StreamOptions {
  readonly statement: SqliteStatement;
  readonly parameters: readonly unknown[];
  /** True if it may run in the service's thread. */
  readonly isQuick: boolean;
}

/**
 * Handles of streams in the service's thread; each needs two or three file
 * descriptors, and memory for its pages.
 */
export const MAX_HANDLES = 64;

/** Limits what streams occupy, because a client may read as slowly as it likes; each waits for its turn. */
export class Streamer {
  readonly #options: StreamerOptions;
  readonly #workers: Turns;
  readonly #handles: Turns;

  constructor(options: StreamerOptions) {
    this.#options = options;
    this.#workers = new Turns(options.settings);
    this.#handles = new Turns(options.settings, MAX_HANDLES);
  }

  /** Callers that wait for their turn. */
  get waiting(): number {
    return this.#workers.waiting + this.#handles.waiting;
  }

  /**
   * Rejects with a timeout if a worker takes longer than `statementTimeout` for a
   * chunk, or the reader to request it.
   */
  stream(run: StreamRun): AsyncGenerator<readonly Row[]> {
    const limits = { signal: run.signal, seconds: this.#options.settings.statementTimeout };
    return watchReader(limits, (signal) => this.#read({ ...run, signal }));
  }

  async *#read(run: StreamRun): AsyncGenerator<readonly Row[]> {
    if (run.isQuick && (yield* this.#readHere(run))) return;
    using _turn = await this.#workers.take(run.signal, userOf(run));
    yield* this.#options.pool.stream(packRun(run.statement.text, run.parameters), run);
  }

  /**
   * Reads in the service's thread, with other work between chunks. False if the
   * file is locked: a worker can wait.
   */
  async *#readHere(run: StreamRun): AsyncGenerator<readonly Row[], boolean> {
    const { signal, fetchSize } = run;
    using _turn = await this.#handles.take(signal, userOf(run));
    const cursor = this.#openUnlessBusy(run);
    if (!cursor) return false;
    signal.addEventListener("abort", cursor.close, { once: true });
    try {
      for (let rows = cursor.next(fetchSize); rows.length > 0; rows = cursor.next(fetchSize)) {
        yield rows;
        await setImmediate();
        signal.throwIfAborted();
      }
      return true;
    } finally {
      signal.removeEventListener("abort", cursor.close);
      cursor.close();
    }
  }

  /** A cursor with its own handle, which it closes. */
  #openUnlessBusy({ statement: { text, decoder }, parameters }: StreamRun): Cursor | undefined {
    using opening = new DisposableStack();
    try {
      const handle = opening.adopt(this.#options.open(), (opened) => opened.close());
      const cursor = openCursor(handle.prepare(text.sql).raw(), parameters, decoder);
      opening.move();
      const close = () => {
        if (handle.open) cursor.close();
        handle.close();
      };
      return { next: cursor.next, close };
    } catch (error) {
      if (isBusy(error)) return undefined;
      throw error;
    }
  }
}

function userOf({ turn, statement: { text } }: StreamRun): TurnUser {
  return { caller: turn, isQuery: text.verb !== undefined };
}
