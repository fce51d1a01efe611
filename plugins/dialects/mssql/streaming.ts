/**
 * Rows in chunks as the server sends them. While nobody takes them the connection is not read, so that the server waits.
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

/** One stream, and what its session is like. */
export interface StreamPlan {
  readonly statement: MssqlStatement;
  readonly command: Command;
  readonly fetchSize: number;
  /** Of the statement and of each chunk. */
  readonly limits: Limits;
  /** The isolation level of readers. */
  readonly reading: Isolation;
  /** The statement certainly writes nothing; else it is undone when it has ended. */
  readonly isSure: boolean;
  /** Of what has to be done at the end, whatever ended the stream. */
  readonly ending: Limits;
  /** Gives the session back. */
  release(): void;
}

/** Begins a stream. Its session is given back when it has ended, whether or not anybody reads to the end. */
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
      // Each chunk has a limit of its own.
      start: (onRow) => session.start(command, { ...limits, seconds: 0 }, onRow),
    });
    chunks.finished.then(finish, finish);
    return chunks;
  } catch (error) {
    await finish();
    throw error;
  }
}

/** How a statement is begun, and how its rows are read. */
interface ChunkOptions {
  /** Rows per chunk. */
  readonly fetchSize: number;
  /** For one chunk, and for its reader; zero: no limit. */
  readonly seconds: number;
  decode(cells: readonly DriverCell[]): Row;
  /** Throws where a statement that only reads has changed as many rows. */
  requireUnchanged(changes: number): void;
  start(onRow: OnRow): Running;
}

/** The rows of a statement, as many at a time as were asked for. It runs from the moment it is made. */
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

  /** The next rows; undefined when there are no more. */
  async next(): Promise<readonly Row[] | undefined> {
    this.#limit("The statement took too long to give its next rows");
    while (this.#rows.length < this.#options.fetchSize && !this.#ended) await this.#more();
    if (this.#ended && "error" in this.#ended) throw this.#ended.error;
    const chunk = this.#rows.splice(0, this.#options.fetchSize);
    this.#limit("Nobody has read on for too long");
    return chunk.length > 0 ? chunk : undefined;
  }

  /** Ends the statement where it is; settles when the connection is free. */
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
