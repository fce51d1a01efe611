/** The part of better-sqlite3 that this folder uses; the package has no types of its own. */

/** What SQLite gives and takes; integers are `bigint` only after `safeIntegers(true)`. */
export type SqliteValue = null | string | number | bigint | Uint8Array;

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
  raw(on?: boolean): this;
  pluck(on?: boolean): this;
  safeIntegers(on?: boolean): this;
}

export interface Options {
  readonly readonly?: boolean;
  readonly fileMustExist?: boolean;
  /** Milliseconds that a statement waits for a lock. */
  readonly timeout?: number;
}

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
