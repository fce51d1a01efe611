/**
 * The filter that finds the rows of a group, for links from a number to its rows. Pure.
 *
 * @module
 */

import type { Value, ValueType } from "@/core/model.ts";
import { LONGEST_VALUE } from "@/core/sql/summary_statements.ts";
import type { Grouping, SummaryGroup } from "@/plugins/contract.ts";
import { PERIODS } from "./ranges.ts";

/** A filter as the fields `ui.is`, `ui.value` and `ui.to` of a list's form have it. */
export interface GroupFilter {
  readonly is: "is" | "range" | "null";
  readonly value: string;
  readonly to: string;
}

/** The address of a list with one more filter of a column, by its name; undefined: it has no such address. */
export type FilterLink = (column: string, filter: GroupFilter) => string | undefined;

/**
 * The filter of one value; undefined for bytes, and for a text of which the summary has only the beginning.
 */
export function valueFilter(value: Value): GroupFilter | undefined {
  if (value === null) return { is: "null", value: "", to: "" };
  const isWhole = typeof value !== "string" || value.length < LONGEST_VALUE;
  return value instanceof Uint8Array || !isWhole ? undefined : { is: "is", value: String(value), to: "" };
}

/**
 * The filter of a group. Undefined where none has exactly its rows: ranges of filters include both ends,
 * so ranges of fractions have none. `secondDecimals`: the most decimals of a second that the engine holds.
 */
export function groupFilter(
  { key, to }: Pick<SummaryGroup, "key" | "to">,
  by: Grouping,
  type: ValueType,
  secondDecimals: number | undefined,
): GroupFilter | undefined {
  if (by === "value") return valueFilter(key);
  if (by === "range") {
    if (type !== "integer" || to === undefined) return undefined;
    return { is: "range", value: String(key), to: String(BigInt(to) - 1n) };
  }
  const [first, last] = daysOf(String(key), by);
  // A day is its midnight among moments, and is before these as a text: a column without a type has either.
  return { is: "range", value: first, to: type === "date" ? last : endOfDay(last, secondDecimals) };
}

/** The last moment of a day. No engine holds more decimals of a second than nine. */
export function endOfDay(day: string, secondDecimals = 9): string {
  return `${day}T23:59:59.${"9".repeat(secondDecimals)}`;
}

/** A moment, also one that is written as its day alone. */
export function withTime(text: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? `${text} 00:00:00` : text;
}

/** The day of which a text is the last moment; undefined for any other text. */
export function dayEndingWith(text: string): string | undefined {
  return /^(\d{4}-\d\d-\d\d)T23:59:59\.9{3,}$/.exec(text)?.[1];
}

function daysOf(period: string, by: keyof typeof PERIODS): readonly [first: string, last: string] {
  if (by === "day") return [period, period];
  if (by === "year") return [`${period}-01-01`, `${period}-12-31`];
  const end = new Date(`${period}-01T00:00:00Z`);
  end.setUTCMonth(end.getUTCMonth() + 1, 0);
  return [`${period}-01`, `${period}-${String(end.getUTCDate()).padStart(2, "0")}`];
}
