/**
 * Rows of one statement as the server sends them. If enough of them wait to be read, reading from the connection pauses:
 * the server waits, and memory stays constant.
 *
 * @module
 */

import type { EventEmitter } from "node:events";
import type { DriverConnection, Field } from "./driver.ts";

/** Chunks that may wait to be read. */
const AHEAD = 2;

/** Reads from its construction on; `size` is the number of rows per chunk. */
export class RowSource {
  readonly #connection: DriverConnection;
  readonly #size: number;
  #rows: unknown[][] = [];
  #ended = false;
  #failure: { readonly reason: unknown } | undefined;
  #paused = false;
  #wake: (() => void) | undefined;
  /** Columns of the result; known with the first rows. */
  fields: readonly Field[] = [];

  constructor(command: EventEmitter, connection: DriverConnection, size: number) {
    this.#connection = connection;
    this.#size = Math.max(1, size);
    command.on("fields", (fields: readonly Field[] | undefined) => this.fields = fields ?? []);
    command.on("result", (row: unknown) => Array.isArray(row) && this.#push(row));
    command.on("error", (error: unknown) => this.fail(error));
    command.on("end", () => this.#end());
  }

  /** True once all rows were read. */
  get isDone(): boolean {
    return this.#ended && this.#rows.length === 0;
  }

  /** The next rows; fewer than the size only at the end. */
  async next(): Promise<unknown[][]> {
    while (this.#rows.length < this.#size && !this.#ended && !this.#failure) await this.#more();
    if (this.#failure) throw this.#failure.reason;
    if (this.#rows.length <= this.#size) return this.#takeAll();
    return this.#rows.splice(0, this.#size);
  }

  /** Makes {@link RowSource.next} reject from now on; the first reason counts. */
  fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#wake?.();
  }

  #takeAll(): unknown[][] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  #push(row: unknown[]): void {
    this.#rows.push(row);
    if (this.#rows.length >= this.#size) this.#wake?.();
    if (this.#paused || this.#rows.length < this.#size * AHEAD) return;
    this.#paused = true;
    this.#connection.pause();
  }

  #end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  #more(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    if (this.#paused) {
      this.#paused = false;
      this.#connection.resume();
    }
    return promise;
  }
}
