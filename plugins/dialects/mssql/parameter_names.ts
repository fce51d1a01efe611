/**
 * The names of sent parameters. Babelfish looks a parameter up among the columns of the statement's tables: with `@1`
 * every statement on a table with a column `@1` would be ambiguous.
 *
 * @module
 */

/** The name of the n-th parameter, counted from 1, without the `@`. */
export function sentName(number: number): string {
  return `rowhouse_${number}`;
}
