/**
 * Converts values for storing. In strict mode the servers refuse nearly every value that they could not keep; values that
 * they would silently change are refused here.
 *
 * @module
 */

import type { Column, Value } from "@/plugins/contract.ts";
import { baseTypeOf, membersOf, sizesOf } from "./column_types.ts";

/** Throws a RangeError if the column would change the value. */
export function stored(value: Value, column: Column): unknown {
  if (typeof value === "number") return storedNumber(value, column);
  if (typeof value === "bigint") return storedInteger(value, column);
  return typeof value === "string" ? storedText(value, column) : value;
}

function storedNumber(value: number, column: Column): unknown {
  if (column.type === "decimal") return storedDecimal(String(value), column);
  if (column.type === "text") return String(value);
  if (!Number.isFinite(value)) throw new RangeError(`${value} is no number that MySQL keeps`);
  return column.type === "integer" ? storedInteger(value, column) : storedFloat(value, column);
}

/** The shortest spelling of the largest FLOAT is slightly larger than it. */
function storedFloat(value: number, { declaredType }: Column): number {
  if (baseTypeOf(declaredType) !== "float") return value;
  const single = Math.fround(value);
  return Number.isFinite(single) ? single : value;
}

function storedInteger(value: number | bigint, column: Column): unknown {
  if (column.type === "text") return String(value);
  const base = baseTypeOf(column.declaredType);
  // The server would store 70 as 1970.
  if (base === "year" && value > 0 && value < 1901) {
    throw new RangeError(`${value} is no year from 1901 to 2155`);
  }
  // The server would store -1 as all bits set.
  if (base === "bit" && value < 0) throw new RangeError(`${value} is negative: bits are not`);
  return column.type === "decimal" ? storedDecimal(String(value), column) : value;
}

function storedText(value: string, column: Column): unknown {
  switch (column.type) {
    case "decimal":
      return storedDecimal(value, column);
    case "datetime":
      requireFraction(value, column);
      return value.replace("T", " ");
    case "time":
      requireFraction(value, column);
      return value;
    case "text":
      return storedInText(value, column);
    default:
      return value;
  }
}

/** The server would round to the declared digits. */
function storedDecimal(value: string, column: Column): string {
  const [, scale = 0] = sizesOf(column.declaredType);
  if (decimalsOf(value) <= scale) return value;
  throw new RangeError(`${value} has more decimals than a column of type ${column.declaredType} keeps`);
}

/** Decimals without trailing zeros: 3 of `1.2340`, 5 of `1.2e-4`, 0 of `1.5e1`. */
function decimalsOf(value: string): number {
  const [mantissa = "", exponent = "0"] = value.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = `${whole}${fraction}`.replace(/0+$/, "");
  if (/^[+-]?0*$/.test(digits)) return 0;
  const cut = whole.length + fraction.length - digits.length;
  return Math.max(0, fraction.length - cut - Number(exponent));
}

/** MySQL rounds a fraction, MariaDB cuts it. */
function requireFraction(value: string, { declaredType }: Column): void {
  const fraction = /\.(\d+)$/.exec(value)?.[1]?.replace(/0+$/, "") ?? "";
  if (fraction.length <= (sizesOf(declaredType)[0] ?? 0)) return;
  throw new RangeError(`'${value}' has more digits than a column of type ${declaredType} keeps`);
}

function storedInText(value: string, column: Column): string | null {
  switch (baseTypeOf(column.declaredType)) {
    case "enum":
    case "set":
      return storedMember(value, column);
    case "uuid":
    case "inet4":
    case "inet6":
      return emptyIsNull(value, column);
    default:
      return value;
  }
}

/** The server would read digits that are not a member as the position of one. */
function storedMember(value: string, { declaredType }: Column): string {
  if (!/^\s*\d+\s*$/.test(value) || membersOf(declaredType).includes(value)) return value;
  throw new RangeError(`'${value.slice(0, 40)}' is not one of the column's values`);
}

/** These types have no empty value, which CSV uses for NULL. */
function emptyIsNull(value: string, { nullable }: Column): string | null {
  return value === "" && nullable ? null : value;
}
