/**
 * Converts values so that SQLite returns them digit by digit.
 *
 * SQLite converts values by the declared type when it stores them: in a `DECIMAL` column, text that looks
 * like a number becomes a 64-bit integer or a real of 15 to 17 digits, with any loss; no kind of binding
 * prevents that (bytes are kept, but compare with nothing). So a number that would lose digits is refused.
 * Columns whose declared type contains TEXT or CHAR, and those without a type, keep the digits of any number.
 *
 * @module
 */

import type { Column, Value } from "@/plugins/contract.ts";
import { digitsOf } from "@/plugins/kit/numbers.ts";
import { affinityOf } from "./column_types.ts";

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
  throw new RangeError(`${value} is beyond 64 bits`);
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
      return storedTime(value);
    case "decimal":
      return storedDecimal(value, column);
    case "text":
    case "json":
    case "any":
      return keptAsText(value, column);
    default:
      return value;
  }
}

/**
 * `YYYY-MM-DD HH:MM:SS`, as SQLite's functions write it, then the fraction without zeros at its end: one
 * moment is one text, so that keys are unique and references find theirs.
 */
export function storedDatetime(value: string): string {
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(\.\d+)?)?$/.exec(value);
  if (!match) return value;
  const [, date, minutes = "00:00", seconds = ":00", fraction = ""] = match;
  return `${date} ${minutes}${seconds}${withoutZeros(fraction)}`;
}

/** Adds the seconds to `13:45`, and takes zeros off the end of a fraction. */
export function storedTime(value: string): string {
  return /^\d\d:\d\d$/.test(value) ? `${value}:00` : withoutZeros(value);
}

/** A time without the zeros at the end of its fraction. */
function withoutZeros(time: string): string {
  return time.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
}

/**
 * The integer or real that SQLite would convert it to; converted here, because SQLite rounds less precisely.
 */
function storedDecimal(value: string, column: Column): unknown {
  const affinity = affinityOf(column);
  if (affinity === "TEXT") return value;
  const number = nearestNumber(value, affinity === "REAL" ? "real" : "any");
  if (number !== undefined && digitsOf(String(number)) === digitsOf(value)) return number;
  if (affinity === "BLOB") return value;
  throw new RangeError(
    `${value} has more digits than SQLite keeps in a column of type ${column.declaredType}`,
  );
}

/**
 * SQLite treats `JSON`, `ANY` and some names of text types, `STRING` and `UUID`, as numeric: `007` would
 * become 7. A document that is a number is converted here: SQLite reads `9007199254740993.0` as a real.
 */
function keptAsText(value: string, column: Column): unknown {
  const affinity = affinityOf(column);
  if (affinity === "TEXT" || affinity === "BLOB") return value;
  const nearest = nearestNumber(value, "any");
  if (nearest === undefined) return value;
  const number = String(nearest);
  const isKept = column.type === "json" ? digitsOf(number) === digitsOf(value) : number === value;
  if (isKept) return column.type === "json" ? nearest : value;
  throw new RangeError(`'${value}' would become a number in a column of type ${column.declaredType}`);
}

/** Digits of the largest 64-bit integer. */
const INTEGER_DIGITS = 19;

/** The 64-bit integer that a number equals, or the nearest real; `real`: always the real. */
function nearestNumber(text: string, kind: "any" | "real"): number | bigint | undefined {
  const digits = digitsOf(text.trim());
  if (digits === undefined) return undefined;
  const integer = kind === "any" ? toInteger(digits) : undefined;
  return integer !== undefined && BigInt.asIntN(64, integer) === integer ? integer : Number(text);
}

function toInteger(digits: string): bigint | undefined {
  const [mantissa = "", power = "0"] = digits.split("e");
  const exponent = Number(power);
  if (exponent < 0 || mantissa.length + exponent > INTEGER_DIGITS + 1) return undefined;
  return BigInt(mantissa + "0".repeat(exponent));
}
