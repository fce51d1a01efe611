/**
 * Converts values so that SQLite returns them digit by digit.
 *
 * SQLite converts values by the declared type when it stores them: in a `DECIMAL` column, text that looks like a number
 * becomes a 64-bit integer or a real of 15 to 17 digits, with any loss; no kind of binding prevents that (bytes are kept,
 * but compare with nothing). So a number that would lose digits is refused. Columns whose declared type contains TEXT or
 * CHAR, and those without a type, keep the digits of any number.
 *
 * @module
 */

import type { Column, Value } from "@/plugins/contract.ts";
import { UnstorableValue } from "@/plugins/kit/database_failure.ts";
import { affinityOf } from "./column_types.ts";
import { digitsOf, isNumeric, nearestNumber } from "./numbers.ts";

/** Throws a RangeError if the column would change the value. */
export function stored(value: Value, column: Column): unknown {
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "bigint") return storedInteger(value, column);
  if (typeof value === "number") return storedNumber(value, column);
  return typeof value === "string" ? storedText(value, column) : value;
}

function storedInteger(value: bigint, column: Column): unknown {
  if (column.type === "text") return String(value);
  if (column.type === "decimal") return storedDecimal(String(value), column);
  if (BigInt.asIntN(64, value) === value) return value;
  throw new UnstorableValue(`${value} is beyond 64 bits`);
}

/** The driver binds every number as a real, which a column without a type, or for text, would keep: `5.0`. */
function storedNumber(value: number, column: Column): unknown {
  if (column.type === "text") return String(value);
  return column.type !== "float" && Number.isSafeInteger(value) ? BigInt(value) : value;
}

function storedText(value: string, column: Column): unknown {
  switch (column.type) {
    case "datetime":
      return storedDatetime(value);
    case "time":
      return /^\d\d:\d\d$/.test(value) ? `${value}:00` : value;
    case "decimal":
      return storedDecimal(value, column);
    case "text":
    case "json":
      return keptAsText(value, column);
    default:
      return value;
  }
}

/** `YYYY-MM-DD HH:MM:SS`, as SQLite's functions write it, with the fraction unchanged. */
function storedDatetime(value: string): string {
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(\.\d+)?)?$/.exec(value);
  if (!match) return value;
  const [, date, minutes = "00:00", seconds = ":00", fraction = ""] = match;
  return `${date} ${minutes}${seconds}${fraction}`;
}

/** The integer or real that SQLite would convert it to; converted here, because SQLite rounds less precisely. */
function storedDecimal(value: string, column: Column): unknown {
  const affinity = affinityOf(column.declaredType);
  if (affinity === "TEXT") return value;
  const number = nearestNumber(value, affinity === "REAL" ? "real" : "any");
  if (number !== undefined && digitsOf(String(number)) === digitsOf(value)) return number;
  if (affinity === "BLOB") return value;
  throw new UnstorableValue(
    `${value} has more digits than SQLite keeps in a column of type ${column.declaredType}`,
  );
}

/** SQLite treats some names of text types, `STRING` and `UUID`, as numeric: `007` would become 7. */
function keptAsText(value: string, column: Column): string {
  const affinity = affinityOf(column.declaredType);
  if (affinity === "TEXT" || affinity === "BLOB" || !isNumeric(value)) return value;
  const number = String(nearestNumber(value, "any"));
  const isKept = column.type === "json" ? digitsOf(number) === digitsOf(value) : number === value;
  if (isKept) return value;
  throw new UnstorableValue(`'${value}' would become a number in a column of type ${column.declaredType}`);
}
