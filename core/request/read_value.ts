/**
 * Converts text of a URL to a value of a column's type, before any SQL is built. Pure.
 *
 * @module
 */

import type { Column } from "@/core/catalog.ts";
import { badRequest, quote } from "@/core/errors.ts";
import type { Value, ValueType } from "@/core/model.ts";
import { digitsOf } from "@/plugins/kit/numbers.ts";
import { withoutSuffix } from "./zones.ts";

/** A value, or undefined for text of another type. */
type Parse = (text: string) => Value | undefined;

const INTEGER = /^[+-]?\d{1,40}$/;
/** With as many digits as PostgreSQL keeps. */
const DECIMAL = /^[+-]?(?:\d{1,131072}(?:\.\d{0,16383})?|\.\d{1,16383})(?:[eE][+-]?\d{1,3})?$/;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?$/;
/** In any spelling that an engine reads: with or without hyphens and braces. */
const UUID = /^\{?(?:[0-9a-f]{4}-?){8}\}?$/i;
const INT64 = { least: -(2n ** 63n), greatest: 2n ** 63n - 1n };

const PARSERS: { readonly [Type in ValueType]: Parse } = {
  integer: parseInteger,
  decimal: (text) => (DECIMAL.test(text) ? text.replace(/^\+/, "") : undefined),
  float: parseFloatingPoint,
  boolean: (text) => BOOLEANS.get(text),
  text: (text) => text,
  date: (text) => (isDate(text) ? text : undefined),
  datetime: parseDateTime,
  time: (text) => (TIME.test(text) ? text : undefined),
  binary: parseBase64,
  json: (text) => (isJson(text) ? text : undefined),
  any: (text) => text,
};

/** The spellings of true and false in URLs, as values and as flags. */
export const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["True", true],
  ["1", true],
  ["false", false],
  ["False", false],
  ["0", false],
]);

/** The expected form of each type, for messages. */
const EXPECTED: { readonly [Type in ValueType]: string } = {
  integer: "a whole number of at most 64 bits",
  decimal: "a number",
  float: "a number",
  boolean: "true or false",
  text: "text",
  date: "a date as in 2009-12-31",
  datetime: "a date and time as in 2009-12-31T23:59:59",
  time: "a time as in 07:30:00",
  binary: "bytes in base64",
  json: "JSON",
  any: "a value",
};

/** Whether a dialect's word for a type is one of the service. */
export function isValueType(type: unknown): type is ValueType {
  return typeof type === "string" && Object.hasOwn(EXPECTED, type);
}

/** Types with an order for ranges. */
const ORDERED: ReadonlySet<ValueType> = new Set([
  "integer",
  "decimal",
  "float",
  "text",
  "date",
  "datetime",
  "time",
  "any",
]);
/** Types that LIKE supports. */
const TEXTUAL: ReadonlySet<ValueType> = new Set(["text", "json", "any"]);

/** Values of one engine only: `SqlTraits.special`. */
type Special = (text: string, column: Column) => Value | undefined;

/** Converts a filter's text to the column's type. Throws 400 with column, type and value. */
export function parseValue(text: string, column: Column, special?: Special): Value {
  const value = readLexical(text, column, special);
  if (value !== undefined) return value;
  const type = column.bounds?.isUuid ? "uuid" : column.type;
  throw badRequest(
    `Cannot compare column ${quote(column.name)} of type ${type} with ${quote(text)}: ` +
      `expected ${expectedOf(column, text)}`,
  );
}

/** A value of a column's type from its text; undefined for other text. */
export function readLexical<Typed extends Pick<Column, "type" | "zone" | "bounds">>(
  text: string,
  column: Typed,
  special?: (text: string, column: Typed) => Value | undefined,
): Value | undefined {
  // MariaDB takes no braces.
  if (column.bounds?.isUuid) return UUID.test(text) ? text.replace(/^\{|\}$/g, "") : undefined;
  const plain = withoutSuffix(text, column);
  return plain === undefined ? undefined : PARSERS[column.type](plain) ?? special?.(plain, column);
}

/** Why a text cannot be stored or bound as it is, as the end of a sentence; undefined if it can. */
export function flawOf(text: string): string | undefined {
  // PostgreSQL cannot store it, and filters refuse it: a key with it would lead to no record.
  if (text.includes("\0")) return "must not have the character U+0000";
  return text.isWellFormed() ? undefined : "must not have half of a surrogate pair";
}

/** Whether a time has more decimals of a second than an engine holds, which would round or cut it. */
export function isTooFine(value: Value, type: ValueType, most = Infinity): boolean {
  if (typeof value !== "string" || (type !== "datetime" && type !== "time")) return false;
  const [, fraction = ""] = /\.(\d+?)0*(?!\d)/.exec(value) ?? [];
  return fraction.length > most;
}

/** More zeros than an integer has digits. */
const MOST_ZEROS = 20;

/** An integer in any spelling of JSON: `5.0` and `5e2` are whole numbers for JSON Schema. */
export function wholeNumber(text: string): string {
  if (/^-?\d+$/.test(text)) return text;
  const [digits = "", power = "0"] = digitsOf(text)?.split("e") ?? [];
  const zeros = Number(power);
  return digits !== "" && zeros >= 0 && zeros <= MOST_ZEROS ? digits + "0".repeat(zeros) : text;
}

/**
 * The expected form of a type's values: `a whole number`. Mentions the offset or the decimals of a second if
 * they are the mistake.
 */
export function expectedOf(column: Pick<Column, "type" | "zone" | "bounds">, text = ""): string {
  if (column.bounds?.isUuid) return "a UUID as in 123e4567-e89b-42d3-a456-426614174000";
  if (column.type === "float" && DECIMAL.test(text)) return "a number up to 1.8e308";
  return EXPECTED[column.type] + mistakeIn(text, column);
}

function mistakeIn(text: string, column: Pick<Column, "type" | "zone" | "bounds">): string {
  if (withoutSuffix(text, column) === undefined) {
    return column.zone === undefined
      ? " without an offset: the type has no time zone"
      : " with another offset";
  }
  const shorter = text.replace(/(\.\d{9})\d+/, "$1");
  const isTime = column.type === "datetime" || column.type === "time";
  const isTooFine = isTime && shorter !== text && readLexical(shorter, column) !== undefined;
  return isTooFine ? " with at most 9 decimals of a second" : "";
}

/** Refuses a range on a type without order. */
export function requireOrdered(column: Column): void {
  if (ORDERED.has(column.type)) return;
  throw badRequest(`Cannot use a range on column ${quote(column.name)}: type ${column.type} has no order`);
}

/** Whether a column may be searched for a part of a text. */
export function isTextual({ type }: Pick<Column, "type">): boolean {
  return TEXTUAL.has(type);
}

/** Refuses a wildcard on a type other than text. */
export function requireTextual(column: Column): void {
  if (isTextual(column)) return;
  throw badRequest(
    `Cannot use a wildcard on column ${
      quote(column.name)
    }: it is of type ${column.type}, wildcards are for text ` +
      "(a literal wildcard character is percent-encoded)",
  );
}

function parseInteger(text: string): Value | undefined {
  if (!INTEGER.test(text)) return undefined;
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number === 0 ? 0 : number;
  const big = BigInt(text.replace(/^\+/, ""));
  return big >= INT64.least && big <= INT64.greatest ? big : undefined;
}

function parseFloatingPoint(text: string): Value | undefined {
  const number = DECIMAL.test(text) ? Number(text) : NaN;
  return Number.isFinite(number) ? number : undefined;
}

function parseDateTime(text: string): Value | undefined {
  const date = text.slice(0, 10);
  if (!isDate(date)) return undefined;
  if (text.length === 10) return text;
  const mark = text.charAt(10);
  const time = text.slice(11);
  if ((mark !== "T" && mark !== " ") || !TIME.test(time)) return undefined;
  return `${date}T${time}${time.length === 5 ? ":00" : ""}`;
}

function isDate(text: string): boolean {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
}

function daysOf(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
}

function parseBase64(text: string): Value | undefined {
  try {
    return Uint8Array.fromBase64(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
