/**
 * Values as text for people, and their width.
 *
 * @module
 */

import type { Cell, ValueType } from "@/plugins/contract.ts";

/** A text with its width and alignment. */
export interface TextCell {
  readonly text: string;
  readonly width: number;
  readonly right: boolean;
}

const NUMERIC: ReadonlySet<ValueType> = new Set<ValueType>(["integer", "decimal", "float"]);
const PLAIN = /^[\x20-\x7e]*$/;
/** Control characters, lone surrogates, line separators, and marks that change the direction of the text around them. */
const INVISIBLE = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const NAMED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
/** Marks and format characters have no width. */
const NARROW = /[\p{Mn}\p{Me}\p{Cf}]/u;
/** East Asian wide and full-width characters, and pictographs, are two columns wide. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** A value as a cell; `nullText` stands for NULL. Numbers are aligned right, and so is everything in a numeric column. */
export function textCell(value: Cell | undefined, type: ValueType | undefined, nullText: string): TextCell {
  const text = escapeControls(valueText(value, nullText));
  const right = (type !== undefined && NUMERIC.has(type)) || isNumber(value);
  return { text, width: widthOf(text), right };
}

function isNumber(value: Cell | undefined): boolean {
  return typeof value === "number" || typeof value === "bigint";
}

function valueText(value: Cell | undefined, nullText: string): string {
  if (value === null || value === undefined) return nullText;
  if (value instanceof Uint8Array) return value.toBase64();
  return Array.isArray(value) ? "" : String(value);
}

function escapeControls(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(
    INVISIBLE,
    (character) => NAMED[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOfCharacter(character);
  return width;
}

function widthOfCharacter(character: string): number {
  if (WIDE.test(character)) return 2;
  return NARROW.test(character) ? 0 : 1;
}
