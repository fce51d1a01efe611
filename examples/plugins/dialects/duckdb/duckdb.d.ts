/**
 * The part of the package that the dialect uses: outside its `node_modules` the
 * types of the package are not found.
 *
 * @module
 */

/** The module. */
export interface DuckDb {
  readonly DuckDBInstance: { create(path: string): Promise<Instance> };
}

/** A database. */
export interface Instance {
  connect(): Promise<Connection>;
}

/** A connection. */
export interface Connection {
  run(sql: string): Promise<Result>;
  prepare(sql: string): Promise<Prepared>;
  interrupt(): void;
  closeSync(): void;
}

/** A prepared statement; parameters count from 1. */
export interface Prepared {
  readonly columnCount: number;
  columnName(at: number): string;
  columnType(at: number): unknown;
  bindNull(number: number): void;
  bindBoolean(number: number, value: boolean): void;
  bindBigInt(number: number, value: bigint): void;
  bindDouble(number: number, value: number): void;
  bindBlob(number: number, value: Uint8Array): void;
  bindVarchar(number: number, value: string): void;
  stream(): Promise<Result>;
}

/** A result that is fetched in chunks. */
export interface Result {
  fetchChunk(): Promise<
    | { readonly rowCount: number; getRows(): readonly (readonly unknown[])[] }
    | null
  >;
}
