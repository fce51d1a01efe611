/**
 * Values on their way to the server: for storing, in texts that only these engines have, and as parameters.
 *
 * In strict mode the servers refuse nearly every value that they could not keep; values that they would
 * silently change are refused here. Parameters have types, which determine comparisons: text against a number
 * would be compared as floating-point numbers and lose digits.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Column, SqlTraits, Value, ValueType } from "@/plugins/contract.ts";
import { decimalsOf, nearestReal } from "@/plugins/kit/numbers.ts";
import { isPlainlyWithin, parseType, requireWholeDigits } from "@/plugins/kit/type_detail.ts";
import { membersOf } from "./column_types.ts";
import { TypedParameter } from "./driver.ts";

/** Throws a RangeError if the column would change the value. */
export function stored(value: Value, column: Column): unknown {
  if (typeof value === "number" || typeof value === "bigint") return storedNumber(value, column);
  return typeof value === "string" ? storedText(value, column) : value;
}

function storedNumber(value: number | bigint, column: Column): unknown {
  const { type, declaredType } = column;
  if (type === "decimal") return storedDecimal(String(value), column);
  if (type === "text") return String(value);
  const { base } = parseType(declaredType);
  // The server would store 70 as 1970.
  if (base === "year" && value > 0 && value < 1901) {
    throw new RangeError(`${value} is no year from 1901 to 2155`);
  }
  // The server would store -1 as all bits set.
  if (base === "bit" && value < 0) throw new RangeError(`${value} is negative: bits are not`);
  if (typeof value === "bigint") return value;
  if (!Number.isFinite(value)) throw new RangeError(`${value} is no number that MySQL keeps`);
  if (!Number.isInteger(value)) requireScale(String(value), declaredType);
  // The shortest spelling of the largest FLOAT is slightly larger than it.
  const single = base === "float" ? nearestReal(value) : value;
  if (base === "float" && Math.fround(single) === 0 && single !== 0) {
    throw new RangeError(`${value} is too close to zero for a column of type ${declaredType}`);
  }
  return single;
}

/** Types without an empty value, which CSV uses for NULL. */
const NEVER_EMPTY: ReadonlySet<string> = new Set(["inet4", "inet6"]);

function isNeverEmpty(base: string, declaredType: string): boolean {
  return NEVER_EMPTY.has(base) || (base === "enum" && !membersOf(declaredType).includes(""));
}

function storedText(value: string, column: Column): string | null {
  const { type, declaredType, nullable } = column;
  const { base } = parseType(declaredType);
  switch (type) {
    case "decimal":
      return storedDecimal(value, column);
    case "datetime":
    case "time":
      requireFraction(value, declaredType);
      return value.replace("T", " ");
    case "json":
      requirePairs(value);
      return value;
    case "text":
      if (base === "enum" || base === "set") requireMember(value, declaredType);
      requireRoom(value, base);
      return value === "" && nullable && isNeverEmpty(base, declaredType) ? null : value;
    default:
      return value;
  }
}

function storedDecimal(value: string, column: Column): string {
  requireWholeDigits(value, column);
  requireScale(value, column.declaredType, 0);
  return value;
}

/** The server would round to the declared digits, also of FLOAT(7,3) and DOUBLE(10,2). */
function requireScale(value: string, declaredType: string, undeclared = Infinity): void {
  const { scale = undeclared } = parseType(declaredType);
  if (isPlainlyWithin(value, { fraction: scale }) || decimalsOf(value) <= scale) return;
  throw new RangeError(`${value} has more decimals than a column of type ${declaredType} keeps`);
}

/** MySQL rounds a fraction, MariaDB cuts it. */
function requireFraction(value: string, declaredType: string): void {
  const fraction = /\.(\d+)$/.exec(value)?.[1]?.replace(/0+$/, "") ?? "";
  if (fraction.length <= (parseType(declaredType).size ?? 0)) return;
  throw new RangeError(`'${value}' has more digits than a column of type ${declaredType} keeps`);
}

/** The most bytes of types whose length is not declared in characters. */
const MOST_BYTES: Readonly<Record<string, number>> = { tinytext: 255, text: 65_535 };

/** The server would cut spaces off the end, even in strict mode. It refuses other texts that are too long. */
function requireRoom(value: string, base: string): void {
  const most = MOST_BYTES[base];
  if (most === undefined || !value.endsWith(" ") || Buffer.byteLength(value) <= most) return;
  throw new RangeError(`it has more bytes than a column of type ${base} keeps (${most})`);
}

const HALF = /\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f]/i;

/** MariaDB would only say that a check has failed. */
function requirePairs(document: string): void {
  if (!HALF.test(document.replaceAll("\\\\", " "))) return;
  throw new RangeError("a string in it contains half of a surrogate pair");
}

/**
 * The server would read digits that are not a member as the position of one, and cut spaces off the end.
 */
function requireMember(value: string, declaredType: string): void {
  if (!/^\s*\+?\d+\s*$| $/.test(value) || membersOf(declaredType).includes(value)) return;
  throw new RangeError(`'${value.slice(0, 40)}' is not one of the column's values`);
}

const LARGEST = 2n ** 64n - 1n;
/** A span's hours, minutes, seconds and fraction. */
const SPAN = /^-?(\d{2,3}):[0-5]\d(?::[0-5]\d(?:\.(\d{1,9}))?)?$/;
const MOST_HOURS = 838;

const ZERO_DATE = "0000-[0-9]{2}-[0-9]{2}|[0-9]{4}-00-[0-9]{2}|[0-9]{4}-[0-9]{2}-00";

/** Spans, and zero dates of old data, by type: {@link Column.irregular}. */
export const IRREGULAR: { readonly [Type in ValueType]?: string } = {
  date: ZERO_DATE,
  datetime: `(${ZERO_DATE})T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?Z?`,
  time: "-?[0-9]{2,3}:[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?",
};

/**
 * Undefined for a text that is not a value of the column. The longest span is `838:59:59`, positive or
 * negative; only MariaDB has a fraction behind it.
 */
export function specialOf({ isMariadb }: { readonly isMariadb: boolean }): NonNullable<SqlTraits["special"]> {
  return (text, column) => {
    if (column.type === "integer") return readWide(text, column);
    return column.type === "time" ? readSpan(text, isMariadb) : undefined;
  };
}

function readWide(text: string, { declaredType }: Column): bigint | undefined {
  const isWide = parseType(declaredType).base === "bit" || /^bigint\b.*\bunsigned\b/i.test(declaredType);
  if (!isWide || !/^\+?\d{1,40}$/.test(text)) return undefined;
  const value = BigInt(text.replace("+", ""));
  return value <= LARGEST ? value : undefined;
}

function readSpan(text: string, mayExceed: boolean): string | undefined {
  const [, hours, fraction = ""] = SPAN.exec(text) ?? [];
  if (hours === undefined || Number(hours) > MOST_HOURS) return undefined;
  const isBeyond = Number(hours) === MOST_HOURS && /:59:59\./.test(text) && /[1-9]/.test(fraction);
  return isBeyond && !mayExceed ? undefined : text;
}

const TINY = { least: -128, greatest: 127 };
/** The texts of {@link IRREGULAR}, and days that a month lacks. */
const OLD_DATE = /^\d{4}-(?:0\d|1[0-2])-(?:[0-2]\d|3[01])$/;
const OLD_DATETIME =
  /^(\d{4}-(?:0\d|1[0-2])-(?:[0-2]\d|3[01]))T((?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d{1,6})?)$/;

/** Whether a column may store values that its type refuses: {@link cells}. */
export function isLoose({ type, declaredType }: Pick<Column, "type" | "declaredType">): boolean {
  return type === "date" || type === "datetime" ||
    (type === "boolean" && parseType(declaredType).base === "tinyint");
}

/** Zero dates of old data, and the numbers of flags. */
export function cells(text: string, { type }: Column): readonly (string | number)[] {
  if (type === "date") return OLD_DATE.test(text) ? [text] : [];
  if (type === "datetime") return OLD_DATETIME.test(text) ? [text.replace("T", " ")] : [];
  const number = /^-?\d{1,3}$/.test(text) ? Number(text) : NaN;
  return number >= TINY.least && number <= TINY.greatest ? [number] : [];
}

/** A decimal that is bound with all its digits. */
export class ExactDecimal {
  readonly #digits: string;

  constructor(digits: string) {
    this.#digits = digits;
  }

  toString(): string {
    return this.#digits;
  }
}

/** Values are never part of the SQL: each is sent beside the statement. */
export function bind(parameters: readonly unknown[]): unknown[] {
  return parameters.map(bound);
}

function bound(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return TypedParameter.TINY(value ? 1 : 0);
  if (typeof value === "number") {
    return Number.isSafeInteger(value) ? TypedParameter.LONGLONG(BigInt(value)) : value;
  }
  if (typeof value === "bigint") {
    return value < 0n ? TypedParameter.LONGLONG(value) : TypedParameter.LONGLONG.unsigned(value);
  }
  if (value instanceof ExactDecimal) return TypedParameter.NEWDECIMAL(value.toString());
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  throw new TypeError("A parameter has a type that the dialect does not bind");
}
