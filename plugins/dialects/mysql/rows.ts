/**
 * The rows of a statement that is streamed, wherever they wait.
 *
 * @module
 */

import type { Field } from "./driver.ts";

/** A statement's rows, a few at a time. */
export interface Rows {
  /** Columns of the result; known when the first rows are. */
  readonly fields: readonly Field[];
  /** True when every row was read. */
  readonly isDone: boolean;
  /** The next rows; fewer than the size only at the end. */
  next(): Promise<unknown[][]>;
  /** Lets go of the rows that were not read, so that the connection can be used again. Absent: nothing but its end does that. */
  close?(): Promise<void>;
}
