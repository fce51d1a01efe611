/**
 * A database for tests, as every engine can be told to make it.
 *
 * @module
 */

import type { Token } from "./tokens.ts";

/** Everything in a database; expressions are tokens of SQLite's SQL. */
export interface DatabaseFixture {
  readonly tables: readonly TableFixture[];
  readonly views: readonly ViewFixture[];
  readonly indexes: readonly (readonly Token[])[];
  /** Every name in the definition, to be quoted if an engine folds letters. */
  readonly names: ReadonlySet<string>;
  /** Rows by table, cells in the order of its stored columns. */
  readonly rows: ReadonlyMap<string, readonly (readonly Stored[])[]>;
}

/** A value as SQLite holds it. */
export type Stored = null | bigint | number | string | Uint8Array;

/** A table; keys are names of columns. */
export interface TableFixture {
  readonly name: string;
  readonly columns: readonly ColumnFixture[];
  readonly primaryKey: readonly string[];
  readonly uniqueKeys: readonly (readonly string[])[];
  readonly checks: readonly (readonly Token[])[];
  readonly foreignKeys: readonly ForeignKeyFixture[];
}

/** A column; `generated` ones are computed from others. */
export interface ColumnFixture {
  readonly name: string;
  /** The type as SQLite spells it: `DECIMAL(10,2)`. May be empty. */
  readonly type: string;
  readonly isNullable: boolean;
  /** The database counts it up where an insert leaves it out. */
  readonly isIdentity: boolean;
  readonly default?: readonly Token[];
  readonly generated?: readonly Token[];
}

/** A reference from columns of one table to those of another. */
export interface ForeignKeyFixture {
  readonly columns: readonly string[];
  readonly table: string;
  readonly references: readonly string[];
  /** Rows go with the row that they refer to. */
  readonly isCascading: boolean;
  /** Checked when the transaction is committed. */
  readonly isDeferred: boolean;
}

/** A view with its query. */
export interface ViewFixture {
  readonly name: string;
  readonly query: readonly Token[];
}
