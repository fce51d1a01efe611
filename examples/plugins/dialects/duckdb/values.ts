/**
 * Values of DuckDB in the form of the contract.
 *
 * @module
 */

import type { Cell, Row, ValueType } from "@/plugins/contract.ts";

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

/** A row as its reader expects it. */
export function rowOf(row: readonly unknown[]): Row {
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
