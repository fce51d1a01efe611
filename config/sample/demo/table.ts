/**
 * A table's rows on their way into the database.
 *
 * @module
 */

/** A value as SQLite stores it. */
export type Cell = string | number | null | Uint8Array;

/** One SQL statement of the demo database, with `?` where its parameters belong. */
export interface Statement {
  readonly sql: string;
  readonly parameters?: readonly Cell[];
}

/** Rows of one table, cells in the order of `columns`. */
export interface TableRows {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Rows of one statement: far below SQLite's limit of parameters, and few statements to prepare. */
const BATCH = 100;

/** The statements that insert the rows. */
export function* insertStatements({ table, columns, rows }: TableRows): Generator<Statement> {
  const group = `(${columns.map(() => "?").join(", ")})`;
  for (let start = 0; start < rows.length; start += BATCH) {
    const batch = rows.slice(start, start + BATCH);
    const groups = batch.map(() => group).join(", ");
    yield { sql: `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${groups}`, parameters: batch.flat() };
  }
}
