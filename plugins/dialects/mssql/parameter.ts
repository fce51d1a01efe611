/**
 * A filter's value for comparing with a column: of the column's type if it can hold the value, so that an
 * index is used; otherwise of a wider type, because a filter may have a value that no column holds.
 *
 * @module
 */

import type { Column, Value, ValueType } from "@/plugins/contract.ts";
import { digitsOf } from "@/plugins/kit/numbers.ts";
import { parseType } from "@/plugins/kit/type_detail.ts";
import {
  bigInteger,
  bit,
  type Bound,
  bytes,
  castText,
  float,
  guess,
  integer,
  narrow,
  real,
  unicode,
} from "./bound.ts";
import { readMoment, readTime, writeMoment, writeTime } from "./moments.ts";

const MAX_DIGITS = 38;
/** The server refuses smaller numbers; in filters this one keeps their order relative to all others. */
export const SMALLEST = 2.2250738585072014e-308;
const GUID = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i;

/** Never throws: the server decides whether an impossible value is refused or matches no row. */
export function parameter(value: Value, column: Column): Bound {
  switch (column.type) {
    case "integer":
      return integerParameter(value, column);
    case "decimal":
      return decimalParameter(value);
    case "float":
      return floatParameter(value, column);
    case "boolean":
      return typeof value === "boolean" || value === null ? bit(value) : guess(value);
    case "date":
      return castText(textOf(value), "date");
    case "datetime":
      return momentParameter(value, column);
    case "time":
      return timeParameter(value);
    case "binary":
      return value instanceof Uint8Array || value === null ? bytes(value) : guess(value);
    default:
      return textParameter(value, column);
  }
}

function integerParameter(value: Value, { declaredType }: Column): Bound {
  if (value !== null && typeof value !== "number" && typeof value !== "bigint") return guess(value);
  return declaredType === "bigint" ? bigInteger(value) : integer(value);
}

function decimalParameter(value: Value): Bound {
  const digits = readDigits(String(value));
  if (!digits) return castText(textOf(value), `decimal(${MAX_DIGITS},10)`);
  if (digits.whole.length > MAX_DIGITS) return floatParameter(clamp(Number(String(value))), undefined);
  const scale = Math.min(digits.fraction.length, MAX_DIGITS - Math.max(digits.whole.length, 1));
  return castText(writeDigits(digits, scale), `decimal(${MAX_DIGITS},${scale})`);
}

function floatParameter(value: Value, column: Column | undefined): Bound {
  const number = value === null ? null : Number(value);
  if (number !== null && number !== 0 && Math.abs(number) < SMALLEST) {
    return float(number < 0 ? -SMALLEST : SMALLEST);
  }
  const fits = number === null || Number.isFinite(Math.fround(number));
  return column?.declaredType === "real" && fits ? real(number) : float(number);
}

function clamp(value: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
}

/** Of the thousandths of a second, `datetime` has those that end in 0, 3 or 7. */
const OF_DATETIME = /^(?:\d{0,2}|\d\d[37])$/;

/**
 * A `datetime` is compared as such if it can hold the value: it keeps three-hundredths of a second, so a
 * finer type would never equal the stored value. Other values are compared as `datetime2`: `datetime` would
 * round the last millisecond of a day to the next day.
 */
function momentParameter(value: Value, { declaredType }: Column): Bound {
  const { base } = parseType(declaredType);
  const moment = readMoment(String(value));
  if (!moment) return castText(textOf(value), "datetime2(7)");
  if (base === "datetimeoffset") return castText(writeMoment(moment), "datetimeoffset(7)");
  const isDatetime = base === "datetime" && OF_DATETIME.test(moment.fraction) && moment.date >= "1753-01-01";
  return castText(writeMoment(moment), isDatetime ? "datetime" : "datetime2(7)");
}

function timeParameter(value: Value): Bound {
  const time = readTime(String(value));
  return castText(time ? writeTime(time) : textOf(value), "time(7)");
}

function textParameter(value: Value, { declaredType }: Column): Bound {
  const text = textOf(value);
  const { base } = parseType(declaredType);
  if (base === "uniqueidentifier") return castText(text === null ? text : guidText(text), base);
  return base === "char" || base === "varchar" ? narrow(text) : unicode(text);
}

/**
 * With its hyphens. The server reads the first 36 characters and ignores the rest: other text must not
 * become an identifier.
 */
export function guidText(text: string): string {
  return GUID.exec(text.replace(/[{}-]/g, ""))?.slice(1).join("-") ?? `?${text}`;
}

/** The text of a value; NULL stays. */
export function textOf(value: Value): string | null {
  return value === null ? null : String(value);
}

/** Like a filter's value, but without a column that determines its type. */
export function argument(value: Value, column: Column): Bound {
  return parameter(value, { ...column, declaredType: "" });
}

const DECLARED: { readonly [Type in ValueType]?: string } = {
  integer: "int",
  decimal: "decimal(38,10)",
  boolean: "bit",
  date: "date",
  datetime: "datetime2(7)",
};

/** `@1 int, @2 nvarchar(4000)`. */
export function declareArguments(types: readonly (ValueType | undefined)[]): string {
  return types.map((type, index) => `@${index + 1} ${declaredTypeOf(type)}`).join(", ");
}

/** The declared type of a parameter; text by default. */
export function declaredTypeOf(type: ValueType | undefined): string {
  return (type && DECLARED[type]) ?? "nvarchar(4000)";
}

/** A number's digits without leading zeros of the whole part and trailing zeros of the fraction. */
export interface Digits {
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
}

/** Undefined for a text that is not a number. */
export function readDigits(text: string): Digits | undefined {
  const [signed, power = "0"] = digitsOf(text)?.split("e") ?? [];
  if (signed === undefined) return undefined;
  const digits = signed.replace(/^-/, "");
  const point = digits.length + Number(power);
  return {
    negative: signed.startsWith("-"),
    whole: digits.slice(0, Math.max(0, point)).padEnd(point, "0").replace(/^0+/, ""),
    fraction: digits.slice(Math.max(0, point)).padStart(digits.length - point, "0"),
  };
}

/** The number in SQL's form, with at most this many decimals. */
export function writeDigits({ negative, whole, fraction }: Digits, scale = fraction.length): string {
  const kept = fraction.slice(0, scale);
  const text = `${whole || "0"}${kept === "" ? "" : `.${kept}`}`;
  return negative && /[1-9]/.test(text) ? `-${text}` : text;
}
