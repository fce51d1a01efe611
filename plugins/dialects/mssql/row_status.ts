/**
 * Rows of a cursor end with a column of the server's own, which tells whether there is a row.
 *
 * @module
 */

import type { DriverColumn } from "./running.ts";

const NAME = "ROWSTAT";
/** The row has gone since the cursor found it; its values are made up. */
const MISSING = 2;

/** What is known of the columns of a cursor's rows. */
export interface ResultFacts {
  readonly columns: readonly Pick<DriverColumn, "colName">[];
  /** Of each column, where the server has told, whether it is one that nobody asked for. */
  readonly hidden: readonly boolean[];
  /** How many columns the statement has; zero: nobody knows. */
  readonly known: number;
}

/** Where the status stands; undefined where rows have none, and the last column is one of the statement's. */
export function statusPosition({ columns, hidden, known }: ResultFacts): number | undefined {
  const last = columns.length - 1;
  if (columns[last]?.colName.toUpperCase() !== NAME) return undefined;
  const isStatus = hidden.length === columns.length ? hidden[last] : known > 0 && last === known;
  return isStatus ? last : undefined;
}

/** `status` is the cell at {@link statusPosition}. */
export function isMissing(status: unknown): boolean {
  return status === MISSING;
}
