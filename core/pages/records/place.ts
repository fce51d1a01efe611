/**
 * The place of a record in the list that its reader came from, on the way through a form.
 *
 * @module
 */

/** Longest list in characters that links and forms take along. */
const LONGEST = 2000;

/**
 * The list and the row, as the end of the address of another page about the record; empty without. `prefix`:
 * the beginning of the names, as `ui.` in a form.
 */
export function placeOf(values: ReadonlyMap<string, readonly string[]>, prefix = ""): string {
  const [list, row = ""] = ["in", "at"].map((name) => values.get(prefix + name)?.[0]);
  if (list === undefined || list.length > LONGEST || !/^\d{1,15}$/.test(row)) return "";
  return `&${listInQuery(list)}${row}`;
}

/**
 * The list as a parameter, before the number of the row. A query takes most characters of an address as they
 * are: the links of a list repeat it in each row, and people read it.
 */
export function listInQuery(list: string): string {
  return `ui.in=${encodeURI(list.toWellFormed()).replace(/[&+#]/g, encodeURIComponent)}&ui.at=`;
}
