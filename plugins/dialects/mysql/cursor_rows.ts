/**
 * Rows that wait on the server until they are asked for.
 *
 * @module
 */

import type { Cursor, Ending, Fetched } from "./cursor_protocol.ts";
import type { Field } from "./driver.ts";
import type { Rows } from "./rows.ts";

/** How a connection is asked for something: a lost one fails with the reason. */
export type Ask = <T>(question: (ending: Ending<T>) => void) => Promise<T>;

/** A cursor that is open, and how it is asked. */
export interface CursorRowsOptions {
  readonly cursor: Cursor;
  readonly fields: readonly Field[];
  /** Rows that are fetched at a time. */
  readonly size: number;
  readonly ask: Ask;
}

/** One question to the server for each chunk; between them the connection is idle. */
export class CursorRows implements Rows {
  readonly fields: readonly Field[];
  readonly #options: CursorRowsOptions;
  #isDone = false;

  constructor(options: CursorRowsOptions) {
    this.#options = options;
    this.fields = options.fields;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** The server knows that a row was the last only when it is asked for another: it may give none in the end. */
  async next(): Promise<unknown[][]> {
    const { cursor, size, ask } = this.#options;
    const { rows, isLast } = await ask<Fetched>((ending) => cursor.fetch(size, ending));
    this.#isDone = isLast;
    return rows;
  }

  async close(): Promise<void> {
    const { cursor, ask } = this.#options;
    if (!this.#isDone) await ask<void>((ending) => cursor.close(ending));
    this.#isDone = true;
  }
}
