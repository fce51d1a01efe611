/**
 * The sizes of rows. A list whose rows are too large to be in memory at once is streamed.
 *
 * @module
 */

import type { Cell, Row } from "@/core/model.ts";
import type { CompiledRead } from "./compile_read.ts";

/** Rows of the first read, whose size is not known yet: hundreds of documents would take gigabytes. */
const FIRST = 51;
/** Characters and bytes of an answer's rows. */
const MOST_HELD = 2 ** 26;
/** Rows that are measured. */
const SAMPLE = 50;
/** What a larger size of earlier rows still counts. */
const FADING = 0.9;

/** The mean size of rows that a read has returned. */
const sizes = new WeakMap<CompiledRead, number>();

/** One row more than are likely to fit into memory at once. */
export function fittingRows(compiled: CompiledRead): number {
  const size = sizes.get(compiled);
  if (size === undefined) return FIRST;
  return Math.floor(Math.min(Number.MAX_SAFE_INTEGER, MOST_HELD / size)) + 1;
}

/** Notes the size of rows that a read has returned; true if they are too large to be in memory at once. */
export function noteSize(compiled: CompiledRead, rows: readonly Row[]): boolean {
  if (rows.length === 0) return false;
  const step = Math.ceil(rows.length / SAMPLE);
  let [size, count] = [0, 0];
  for (let at = 0; at < rows.length; at += step, count++) {
    for (const cell of rows[at] ?? []) size += sizeOf(cell);
  }
  const mean = size / count;
  sizes.set(compiled, Math.max(mean, FADING * (sizes.get(compiled) ?? 0)));
  return mean * rows.length > MOST_HELD;
}

/** Characters or bytes of a cell; only long cells matter. */
export function sizeOf(cell: Cell | undefined): number {
  return typeof cell === "string" || cell instanceof Uint8Array ? cell.length : 0;
}
