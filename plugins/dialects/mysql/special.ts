/**
 * Values that other engines lack: integers up to 2^64-1, and times that are spans instead of times of day.
 *
 * @module
 */

import type { Column, Value, ValueType } from "@/plugins/contract.ts";
import { baseTypeOf } from "./column_types.ts";

/** The largest unsigned integer. */
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

/** Undefined for a text that is not a value of the column. */
export function special(text: string, column: Column): Value | undefined {
  if (column.type === "integer") return readWide(text, column);
  return column.type === "time" ? readSpan(text) : undefined;
}

function readWide(text: string, { declaredType }: Column): bigint | undefined {
  const isWide = baseTypeOf(declaredType) === "bit" || /^bigint\b.*\bunsigned\b/i.test(declaredType);
  if (!isWide || !/^\+?\d{1,40}$/.test(text)) return undefined;
  const value = BigInt(text.replace("+", ""));
  return value <= LARGEST ? value : undefined;
}

/** The longest span is `838:59:59`, positive or negative. */
function readSpan(text: string): string | undefined {
  const [, hours, fraction = ""] = SPAN.exec(text) ?? [];
  if (hours === undefined || Number(hours) > MOST_HOURS) return undefined;
  const isBeyond = Number(hours) === MOST_HOURS && /:59:59\./.test(text) && /[1-9]/.test(fraction);
  return isBeyond ? undefined : text;
}

const TINY = { least: -128, greatest: 127 };
/** The texts of {@link IRREGULAR}, and days that a month lacks. */
const OLD_DATE = /^\d{4}-(?:0\d|1[0-2])-(?:[0-2]\d|3[01])$/;
const OLD_DATETIME =
  /^(\d{4}-(?:0\d|1[0-2])-(?:[0-2]\d|3[01]))T((?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d{1,6})?)$/;

/** Whether a column may store values that its type refuses: {@link cells}. */
export function isLoose({ type, declaredType }: Pick<Column, "type" | "declaredType">): boolean {
  return type === "date" || type === "datetime" ||
    (type === "boolean" && baseTypeOf(declaredType) === "tinyint");
}

/** Zero dates of old data, and the numbers of flags. */
export function cells(text: string, { type }: Column): readonly (string | number)[] {
  if (type === "date") return OLD_DATE.test(text) ? [text] : [];
  if (type === "datetime") return OLD_DATETIME.test(text) ? [text.replace("T", " ")] : [];
  const number = /^-?\d{1,3}$/.test(text) ? Number(text) : NaN;
  return number >= TINY.least && number <= TINY.greatest ? [number] : [];
}
