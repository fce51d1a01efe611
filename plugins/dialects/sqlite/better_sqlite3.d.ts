/** Types for the part of better-sqlite3 that this folder uses; the package has none. */

/** Values of SQLite; integers are `bigint` only after `safeIntegers(true)`. */
export type SqliteValue = null | string | number | bigint | Uint8Array;

/** A compiled statement. Errors of SQLite are thrown with SQLite's name of the failure as `code`. */
export interface Statement {
  /** True if the statement returns rows. */
  readonly reader: boolean;
  /** True if the statement does not change the database file. */
  readonly readonly: boolean;
  /** Columns of the result; only if the statement returns rows. */
  columns(): readonly { readonly name: string; readonly type: string | null }[];
  all(...parameters: readonly unknown[]): unknown[];
  get(parameters?: readonly unknown[]): unknown;
  run(parameters?: readonly unknown[]): { readonly changes: number };
  iterate(parameters?: readonly unknown[]): IterableIterator<SqliteValue[]>;
  /** Makes rows arrays. */
  raw(on?: boolean): this;
  /** Makes each row its first cell. */
  pluck(on?: boolean): this;
  /** Makes integers `bigint`. */
  safeIntegers(on?: boolean): this;
}

/** The options of opening a file, which is created unless `fileMustExist` is true. */
export interface Options {
  readonly readonly?: boolean;
  readonly fileMustExist?: boolean;
  /** Milliseconds that a statement waits for a lock. */
  readonly timeout?: number;
}

/** One handle on a file; it blocks its thread while a statement runs. */
export default class Database {
  constructor(file: string, options?: Options);
  readonly open: boolean;
  readonly inTransaction: boolean;
  prepare(sql: string): Statement;
  exec(sql: string): this;
  pragma(text: string, options?: { readonly simple?: boolean }): unknown;
  /** Runs `EXPLAIN ${sql}` without asking for parameters. */
  explain(sql: string): Record<string, unknown>[];
  /** Copies the file, with other work between the steps. */
  backup(copy: string): Promise<unknown>;
  close(): this;
}
