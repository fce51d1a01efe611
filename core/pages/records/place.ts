/**
 * The place of a record in the list that its reader came from, on the way through a form.
 *
 * @module
 */

/** Longest list in characters that links and forms take along. */
const LONGEST = 2000;

/** The list and the row, as the end of the address of another page about the record; empty without. */
export function placeOf(valueOf: (name: "ui.in" | "ui.at") => string | undefined): string {
  const [list, row = ""] = [valueOf("ui.in"), valueOf("ui.at")];
  if (list === undefined || list.length > LONGEST || !/^\d{1,15}$/.test(row)) return "";
  return `&ui.in=${encodeURIComponent(list.toWellFormed())}&ui.at=${row}`;
}
