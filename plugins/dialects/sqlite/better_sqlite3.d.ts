/** The part of better-sqlite3 that this folder uses; the package has no types of its own. */

/** What SQLite gives and takes; integers are `bigint` only after `safeIntegers(true)`. */
export type SqliteValue = null | string | number | bigint | Uint8Array;

/** A compiled statement. Whatever SQLite refuses is thrown with SQLite's name of the failure as `code`. */
export interface Statement {
  /** True where the statement gives rows. */
  readonly reader: boolean;
  /** True where the statement leaves the database file as it is. */
  readonly readonly: boolean;
  /** Columns of the result; only where the statement gives rows. */
  columns(): readonly { readonly name: string; readonly type: string | null }[];
  all(parameters?: readonly unknown[]): unknown[];
  get(parameters?: readonly unknown[]): unknown;
  run(parameters?: readonly unknown[]): { readonly changes: number };
  iterate(parameters?: readonly unknown[]): IterableIterator<SqliteValue[]>;
  /** Rows are arrays from now on. */
  raw(on?: boolean): this;
  /** Rows are their first cell from now on. */
  pluck(on?: boolean): this;
  /** Integers are `bigint` from now on. */
  safeIntegers(on?: boolean): this;
}

/** How a file is opened; it is made unless `fileMustExist` is given. */
export interface Options {
  readonly readonly?: boolean;
  readonly fileMustExist?: boolean;
  /** Milliseconds that a statement waits for a lock. */
  readonly timeout?: number;
}

/** One handle on a file; it blocks its thread while it works. */
export default class Database {
  constructor(file: string, options?: Options);
  readonly open: boolean;
  readonly inTransaction: boolean;
  prepare(sql: string): Statement;
  exec(sql: string): this;
  pragma(text: string, options?: { readonly simple?: boolean }): unknown;
  /** Runs `EXPLAIN ${sql}` without asking for parameters. */
  explain(sql: string): Record<string, unknown>[];
  close(): this;
}
