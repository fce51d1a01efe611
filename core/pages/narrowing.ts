/**
 * The box that narrows a long list on a page. Pure.
 *
 * @module
 */

/** Larger lists have the box. */
const MANY = 8;

/** The box of a list with so many rows. */
export function narrowing(rows: number): { readonly narrow?: string } {
  return rows > MANY ? { narrow: "Narrow the list" } : {};
}
