/**
 * Where a table is.
 *
 * @module
 */

/** What a table is found by. */
export function placeOf({ schema, table }: { readonly schema: string; readonly table: string }): string {
  return JSON.stringify([schema, table]);
}
