/**
 * Reads the rows of one statement in batches.
 *
 * @module
 */

import { type Decoder, decodeRows, type MutableRow, narrowIntegers } from "./decode.ts";
import type { Statement } from "./driver.ts";

/** Rows of one statement, a batch at a time. */
export interface Cursor {
  /** Shorter than requested, or empty, at the end. */
  next(size: number): MutableRow[];
  close(): void;
}

/** Integers are exact from the start, because rows that have been sent cannot be read again. */
export function openCursor(statement: Statement, parameters: readonly unknown[], decoder: Decoder): Cursor {
  const exact = decoder.integers.length > 0;
  const rows = statement.safeIntegers(exact).iterate(parameters);
  return {
    next(size) {
      const batch = take(rows, size);
      if (exact) narrowIntegers(batch);
      decodeRows(batch, decoder);
      return batch;
    },
    close: () => void rows.return?.(),
  };
}

function take(rows: Iterator<MutableRow>, size: number): MutableRow[] {
  const batch: MutableRow[] = [];
  while (batch.length < size) {
    const next = rows.next();
    if (next.done) break;
    batch.push(next.value);
  }
  return batch;
}
