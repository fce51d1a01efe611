/**
 * The key of a related record that was chosen for several columns at once, as the text of one field. Pure.
 *
 * @module
 */

/** The kind of such fields: `r.{relation}`. */
export const CHOSEN = "r";

/** The prefix of the hidden fields with the columns that a choice fills, before the relation's name. */
export const KEY_COLUMNS = "ui.key.";

/** `DE,Berlin`; commas and percent signs of values are percent-encoded. */
export function printKeyText(values: readonly string[]): string {
  return values.map((value) => value.replace(/[%,]/g, encodeURIComponent)).join(",");
}

/** The values of a key of `count` columns; undefined for any other text, as that of a search. */
export function readKeyText(text: string, count: number): readonly string[] | undefined {
  const values = text.split(",");
  if (values.length !== count) return undefined;
  return values.map((value) => value.replace(/%2C/g, ",").replace(/%25/g, "%"));
}
