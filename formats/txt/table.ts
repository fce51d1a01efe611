/**
 * Aligns cells in columns.
 *
 * @module
 */

import type { TextCell } from "./cell.ts";

/** A line of a table, one cell per column. */
export type Line = readonly TextCell[];

const GAP = "  ";
/** A very long value must not pad all other lines to its length: a wider cell overflows its column. */
const WIDEST = 200;

/** The width of each column for these lines. */
export function measure(lines: readonly Line[]): number[] {
  const widths: number[] = [];
  for (const line of lines) {
    line.forEach((cell, index) => {
      widths[index] = Math.min(WIDEST, Math.max(widths[index] ?? 0, cell.width));
    });
  }
  return widths;
}

/** One line of text, without padding at its end. */
export function layOut(line: Line, widths: readonly number[]): string {
  const last = line.findLastIndex((cell) => cell.text !== "");
  let text = "";
  for (const [index, cell] of line.slice(0, last + 1).entries()) {
    const padding = " ".repeat(Math.max(0, (widths[index] ?? 0) - cell.width));
    text += cell.right ? padding + cell.text : cell.text;
    if (index !== last) text += (cell.right ? "" : padding) + GAP;
  }
  return text + "\n";
}

/** The line of dashes below the header. */
export function underline(widths: readonly number[]): string {
  return widths.map((width) => "-".repeat(Math.max(1, width))).join(GAP) + "\n";
}
