/**
 * Rows in chunks as the server sends them. While nobody takes them the connection is not read, so that the server waits.
 *
 * @module
 */

import type { Row } from "@/plugins/contract.ts";
import { MssqlFailure } from "./failures.ts";
import type { DriverCell } from "./driver.ts";
import type { Running } from "./running.ts";

/** How a statement is begun, and how its rows are read. */
export interface ChunkOptions {
  /** Rows per chunk. */
  readonly fetchSize: number;
  /** Milliseconds that one chunk, or its reader, may take; zero: no limit. */
  readonly limit: number;
  decode(cells: readonly DriverCell[]): Row;
  /** Throws where a statement that only reads has changed as many rows. */
  requireUnchanged(changes: number): void;
  start(onRow: (cells: readonly DriverCell[]) => void): Running;
}

/** The rows of a statement, as many at a time as were asked for. */
export interface RowChunks {
  /** The next rows; undefined when there are no more. */
  next(): Promise<readonly Row[] | undefined>;
  /** Ends the statement where it is; settles when the connection is free. */
  stop(): Promise<void>;
}

/** Runs from the moment it is made. */
export class Chunks implements RowChunks {
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

  async next(): Promise<readonly Row[] | undefined> {
    this.#limit("The statement took too long to give its next rows");
    while (this.#rows.length < this.#options.fetchSize && !this.#ended) await this.#more();
    if (this.#ended && "error" in this.#ended) throw this.#ended.error;
    const chunk = this.#rows.splice(0, this.#options.fetchSize);
    this.#limit("Nobody has read on for too long");
    return chunk.length > 0 ? chunk : undefined;
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#running.cancel(new MssqlFailure("unavailable", "The stream has been left"));
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
    const { limit } = this.#options;
    if (limit <= 0 || this.#ended) return;
    this.#timer = setTimeout(() => this.#running.cancel(new MssqlFailure("timeout", message)), limit);
  }
}
