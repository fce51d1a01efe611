/**
 * Values that other engines lack: `NaN` and infinities, dates before the common era and after the year 9999,
 * midnight at the end of a day. They keep PostgreSQL's spelling, so that answers can be sent back.
 *
 * @module
 */

import type { Column, Value, ValueType } from "@/plugins/contract.ts";

const DATE = /^(\d{4}-\d\d-\d\d BC|\d{5,7}-\d\d-\d\d( BC)?|-?infinity)$/;
const TIME = String.raw`[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?`;
const DATETIME = new RegExp(
  String.raw`^(\d{4}-\d\d-\d\d${TIME} BC|\d{5,6}-\d\d-\d\d${TIME}( BC)?|-?infinity)$`,
);
const TIME_OF_DAY = "[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?";
const irregular = (years: string, time: string) =>
  `-?infinity|[0-9]{5,${years}}-[0-9]{2}-[0-9]{2}${time}( BC)?|[0-9]{4}-[0-9]{2}-[0-9]{2}${time} BC`;

/** The forms of these values by type: {@link Column.irregular}. */
export const IRREGULAR: { readonly [Type in ValueType]?: string } = {
  decimal: "NaN|-?Infinity",
  date: irregular("7", ""),
  datetime: irregular("6", `T${TIME_OF_DAY}Z?`),
  time: "24:00:00",
};

/** The same for times with an offset, which may have seconds here, and more than 14 hours. */
export const IRREGULAR_OFFSET = `${TIME_OF_DAY}[+-][0-9:]+`;

const END_OF_DAY = /^24:00(:00)?$/;
/** Only the server's own spelling has seconds in an offset. */
const TIME_WITH_OFFSET =
  /^(?:([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?|24:00(:00)?)(Z|[+-]\d\d(:?[0-5]\d){0,2})$/;

/** The spellings of XML Schema, and those of JSON, which equal PostgreSQL's. */
function numberOf(text: string): number | undefined {
  return /^(NaN|-?INF|-?Infinity)$/.test(text) ? Number(text.replace("INF", "Infinity")) : undefined;
}

const SPECIALS: { readonly [Type in ValueType]?: (text: string) => Value | undefined } = {
  float: numberOf,
  decimal: numberOf,
  date: (text) => DATE.test(text) ? text : undefined,
  datetime: (text) => DATETIME.test(text) ? text.replace(/ (?=\d)/, "T") : undefined,
  time: (text) => END_OF_DAY.test(text) ? "24:00:00" : undefined,
};

/** The server makes the final check: it refuses a month 13. */
export function special(text: string, { type, zone }: Column): Value | undefined {
  if (type === "time" && zone === "offset" && TIME_WITH_OFFSET.test(text)) return text;
  return SPECIALS[type]?.(text);
}

/**
 * A date or time for comparing, in the server's form, where the year 0 of other engines is 1 BC:
 * `0000-02-29` is `0001-02-29 BC`.
 */
export function withEra(text: string, { type }: Column): string {
  const isMoment = type === "date" || type === "datetime";
  return isMoment && text.startsWith("0000-") ? `0001${text.slice(4)} BC` : text;
}
