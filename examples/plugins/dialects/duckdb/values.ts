/**
 * Rows of DuckDB in the form of the contract.
 *
 * @module
 */

import type { Cell, Row, ValueType } from "@/plugins/contract.ts";
import type { Prepared, Result } from "./duckdb.d.ts";

const TYPES: readonly (readonly [RegExp, ValueType])[] = [
  [/^U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$/, "integer"],
  [/^DECIMAL/, "decimal"],
  [/^(FLOAT|DOUBLE)$/, "float"],
  [/^BOOLEAN$/, "boolean"],
  [/^(VARCHAR|UUID|ENUM)/, "text"],
  [/^DATE$/, "date"],
  [/^TIMESTAMP/, "datetime"],
  [/^TIME/, "time"],
  [/^BLOB$/, "binary"],
  [/^JSON$/, "json"],
];

/** The type of a column by DuckDB's own name. */
export function typeOf(declared: string): ValueType {
  return TYPES.find(([pattern]) => pattern.test(declared))?.[1] ?? "any";
}

function rowOf(row: readonly unknown[]): Row {
  return row.map(cellOf);
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (
    typeof value === "string" || typeof value === "number" ||
    typeof value === "boolean"
  ) return value;
  if (typeof value === "bigint") {
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  if (
    typeof value === "object" && "bytes" in value &&
    value.bytes instanceof Uint8Array
  ) {
    return new Uint8Array(value.bytes);
  }
  // Decimals, dates and times have texts; lists and structures have those of DuckDB.
  return String(value).replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/, "$1T$2");
}

/** Chunks of exactly `size` rows, except the last one. */
export async function* chunksOf(
  result: Result,
  size: number,
  stop: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  let rows: Row[] = [];
  for (;;) {
    stop.throwIfAborted();
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) break;
    rows = rows.concat(chunk.getRows().map(rowOf));
    for (; rows.length >= size; rows = rows.slice(size)) {
      stop.throwIfAborted();
      yield rows.slice(0, size);
    }
  }
  stop.throwIfAborted();
  if (rows.length > 0) yield rows;
}

/** Binds the parameters of a statement. */
export function bind(statement: Prepared, parameters: readonly unknown[]): void {
  for (const [at, value] of parameters.entries()) {
    const number = at + 1;
    if (value === null) statement.bindNull(number);
    else if (typeof value === "boolean") statement.bindBoolean(number, value);
    else if (typeof value === "bigint" || Number.isSafeInteger(value)) {
      statement.bindBigInt(number, BigInt(value as number));
    } else if (typeof value === "number") statement.bindDouble(number, value);
    else if (value instanceof Uint8Array) statement.bindBlob(number, value);
    else statement.bindVarchar(number, String(value));
  }
}

/** All rows of a small result. */
export async function rowsOf(result: Result): Promise<readonly Row[]> {
  return (await Array.fromAsync(
    chunksOf(result, 2048, new AbortController().signal),
  )).flat();
}
