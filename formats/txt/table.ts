/**
 * Values as text for people, aligned in columns.
 *
 * @module
 */

import type { Cell, ValueType } from "@/plugins/contract.ts";
import { ascii, isNumeric } from "@/plugins/kit/formats.ts";

/** A text with its width and alignment. */
interface TextCell {
  readonly text: string;
  /** That of a very long text is not counted to its end. */
  readonly width: number;
  readonly right: boolean;
}

/** A very long value must not pad all other lines to its length: a wider cell overflows its column. */
const WIDEST = 200;
const PLAIN = /^[\x20-\x7e]*$/;
/**
 * Control characters, lone surrogates, line separators, and marks that change the
 * direction of the text around them.
 */
const INVISIBLE = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const NAMED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
/** Marks and format characters have no width. */
const NARROW = /[\p{Mn}\p{Me}\p{Cf}]/u;
/** East Asian wide and full-width characters, and pictographs, are two columns wide. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/**
 * A value as a cell; `nullText` stands for NULL. Numbers are aligned right, and so
 * is everything in a numeric column.
 */
export function textCell(value: Cell | undefined, type: ValueType | undefined, nullText: string): TextCell {
  const plain = valueText(value, nullText);
  const text = PLAIN.test(plain)
    ? plain
    : plain.replace(INVISIBLE, (character) => NAMED[character] ?? ascii(character));
  const right = isNumeric(type) || typeof value === "number" || typeof value === "bigint";
  return { text, width: widthOf(text), right };
}

function valueText(value: Cell | undefined, nullText: string): string {
  if (value === null || value === undefined) return nullText;
  if (value instanceof Uint8Array) return value.toBase64();
  return Array.isArray(value) ? "" : String(value);
}

function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) {
    width += WIDE.test(character) ? 2 : NARROW.test(character) ? 0 : 1;
    if (width >= WIDEST) break;
  }
  return width;
}

/** A line of a table, one cell per column. */
export type Line = readonly TextCell[];

const GAP = "  ";

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
