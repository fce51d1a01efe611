/**
 * What parameters are called when they are sent. Babelfish looks for a parameter among the columns of the tables that a
 * statement names: with `@1` every statement on a table that has a column `@1` would be ambiguous.
 *
 * @module
 */

/** The name of the n-th parameter, counted from 1, without the `@`. */
export function sentName(number: number): string {
  return `rowhouse_${number}`;
}
