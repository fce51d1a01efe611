/**
 * Long values on pages that are no lists.
 *
 * @module
 */

/** Characters of a value. */
const LONGEST = 300;

/** The beginning of a long text. */
export function shortText(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}…` : text;
}
