/**
 * Lays lines of cells out in columns.
 *
 * @module
 */

import type { TextCell } from "./cell.ts";

/** A line of a table, one cell per column. */
export type Line = readonly TextCell[];

const GAP = "  ";
/**
 * One very long value must not pad every other line to its length: beyond this width a cell stands out of its column.
 */
const WIDEST = 200;

/** The room each column needs, for these lines. */
export function measure(lines: readonly Line[]): number[] {
  const widths: number[] = [];
  for (const line of lines) {
    line.forEach((cell, index) => {
      widths[index] = Math.min(WIDEST, Math.max(widths[index] ?? 0, cell.width));
    });
  }
  return widths;
}

/** One line of text. Nothing is padded at its end. */
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
