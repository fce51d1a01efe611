/**
 * Texts of values on pages that are no lists, and in filters.
 *
 * @module
 */

import type { ValueType } from "@/core/model.ts";

/** The text of a value; a date with a time has a blank between them: `2031-05-27 18:30:00`. */
export function spaced(text: string, type: ValueType): string {
  return type === "datetime" ? text.replace(/(?<=\d)T(?=\d)/, " ") : text;
}
