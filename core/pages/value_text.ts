/**
 * Texts of values on pages that are no lists, and in filters.
 *
 * @module
 */

import type { ValueType } from "@/core/model.ts";

/** Characters of a value. */
const LONGEST = 300;

/** The beginning of a long text. */
export function shortText(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}…` : text;
}

/** The text of a value; a date with a time has a blank between them: `2031-05-27 18:30:00`. */
export function spaced(text: string, type: ValueType): string {
  return type === "datetime" ? text.replace(/(?<=\d)T(?=\d)/, " ") : text;
}
