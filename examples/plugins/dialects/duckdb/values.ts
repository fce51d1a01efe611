/**
 * Values of DuckDB in the form of the contract, and the other way round.
 *
 * @module
 */

import type { Cell, Row, ValueType } from "@/plugins/contract.ts";
import type { Connection, Prepared } from "./duckdb.d.ts";

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

/** The rows of a statement, as many at a time as the engine makes. */
export async function* portionsOf(
  connection: Connection,
  sql: string,
  parameters: readonly unknown[],
): AsyncGenerator<readonly Row[]> {
  const statement = await connection.prepare(sql);
  for (const [at, value] of parameters.entries()) bind(statement, at + 1, value);
  const result = await statement.stream();
  for (
    let chunk = await result.fetchChunk();
    chunk && chunk.rowCount > 0;
    chunk = await result.fetchChunk()
  ) {
    yield chunk.getRows().map((row) => row.map(cellOf));
  }
}

function bind(statement: Prepared, number: number, value: unknown): void {
  if (value === null) statement.bindNull(number);
  else if (typeof value === "boolean") statement.bindBoolean(number, value);
  else if (typeof value === "bigint" || Number.isSafeInteger(value)) {
    statement.bindBigInt(number, BigInt(value as number));
  } else if (typeof value === "number") statement.bindDouble(number, value);
  else if (value instanceof Uint8Array) statement.bindBlob(number, value);
  else statement.bindVarchar(number, String(value));
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value === "object" && "bytes" in value && value.bytes instanceof Uint8Array) {
    return new Uint8Array(value.bytes);
  }
  // Decimals, dates and times have texts; lists and structures have those of DuckDB.
  return String(value).replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/, "$1T$2");
}
