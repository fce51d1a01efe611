/**
 * Rows in chunks as the server sends them. Until they are taken the connection is not read, so the server waits.
 *
 * @module
 */

import type { Row } from "@/plugins/contract.ts";
import type { Limits } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import type { DriverCell } from "./driver.ts";
import { requireUnchanged, undo } from "./reading.ts";
import type { OnRow, Running } from "./running.ts";
import type { Isolation, Session } from "./session.ts";
import type { Command, MssqlStatement } from "./statement.ts";

/** One stream with the requirements on its session. */
export interface StreamPlan {
  readonly statement: MssqlStatement;
  readonly command: Command;
  readonly fetchSize: number;
  /** Limits of the statement and of each chunk. */
  readonly limits: Limits;
  /** The isolation level of readers. */
  readonly reading: Isolation;
  /** The statement certainly writes nothing; otherwise it is undone at its end. */
  readonly isSure: boolean;
  /** Limits of the work at the end, whatever ended the stream. */
  readonly ending: Limits;
  /** Gives the session back. */
  release(): void;
}

/** Begins a stream. Its session is given back at its end, whether or not the reader reads all rows. */
export async function openChunks(session: Session, plan: StreamPlan): Promise<Chunks> {
  const { statement, command, fetchSize, limits, reading, isSure } = plan;
  const finish = async () => {
    if (!isSure) await undo(session, plan.ending);
    plan.release();
  };
  try {
    if (isSure) await session.isolate(reading, limits);
    else await session.begin(reading, limits);
    const chunks = new Chunks({
      fetchSize,
      seconds: limits.seconds,
      decode: statement.decode,
      requireUnchanged: (changes) => requireUnchanged(statement, changes),
      // Each chunk has its own limit.
      start: (onRow) => session.start(command, { ...limits, seconds: 0 }, onRow),
    });
    chunks.finished.then(finish, finish);
    return chunks;
  } catch (error) {
    await finish();
    throw error;
  }
}

/** How a statement begins, and how its rows are read. */
interface ChunkOptions {
  /** Rows per chunk. */
  readonly fetchSize: number;
  /** For one chunk, and for its reader; zero: no limit. */
  readonly seconds: number;
  decode(cells: readonly DriverCell[]): Row;
  /** Throws if a read-only statement has changed this many rows. */
  requireUnchanged(changes: number): void;
  start(onRow: OnRow): Running;
}

/** The rows of a statement in chunks of the requested size. It runs from its construction on. */
class Chunks {
  readonly #options: ChunkOptions;
  readonly #running: Running;
  #rows: Row[] = [];
  #ended: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ChunkOptions) {
    this.#options = options;
    this.#running = options.start((cells) => this.#add(cells));
    this.#running.finished.then(options.requireUnchanged).then(
      () => this.#end({}),
      (error) => this.#end({ error }),
    );
  }

  /** Settles when the connection is free again. */
  get finished(): Promise<unknown> {
    return this.#running.finished;
  }

  /** The next rows; undefined at the end. */
  async next(): Promise<readonly Row[] | undefined> {
    this.#limit("The statement took too long to give its next rows");
    while (this.#rows.length < this.#options.fetchSize && !this.#ended) await this.#more();
    if (this.#ended && "error" in this.#ended) throw this.#ended.error;
    const chunk = this.#rows.splice(0, this.#options.fetchSize);
    this.#limit("Nobody has read on for too long");
    return chunk.length > 0 ? chunk : undefined;
  }

  /** Cancels the statement; settles when the connection is free. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#running.cancel(new DatabaseFailure("unavailable", "The stream has been left"));
    await this.#running.finished.catch(() => {});
  }

  #more(): Promise<void> {
    this.#running.resume();
    return new Promise((resolve) => this.#wake = resolve);
  }

  #add(cells: readonly DriverCell[]): void {
    this.#rows.push(this.#options.decode(cells));
    if (this.#rows.length < this.#options.fetchSize) return;
    this.#running.pause();
    this.#awaken();
  }

  #end(how: { readonly error?: unknown }): void {
    this.#ended = how;
    clearTimeout(this.#timer);
    this.#awaken();
  }

  #awaken(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  #limit(message: string): void {
    clearTimeout(this.#timer);
    const { seconds } = this.#options;
    if (seconds <= 0 || this.#ended) return;
    this.#timer = setTimeout(
      () => this.#running.cancel(new DatabaseFailure("timeout", message)),
      seconds * 1000,
    );
  }
}
