/**
 * Dates and times as text, in the service's format and in one that SQL Server
 * reads in every language setting.
 *
 * @module
 */

import type { Column, Value } from "@/plugins/contract.ts";
import { parseType } from "@/plugins/kit/type_detail.ts";

/** Decimals of a second of the finest type; further ones are cut off. */
const FINEST = 7;

const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)?)? ?(Z|[+-]\d\d:\d\d)?$/;

/** A date with a time; every part is text as written. */
export interface Moment {
  readonly date: string;
  readonly minutes: string;
  readonly seconds: string;
  /** Without trailing zeros. */
  readonly fraction: string;
  /** `+02:00`, or empty. */
  readonly offset: string;
}

/** A date with or without a time; undefined for other text. */
export function readMoment(text: string): Moment | undefined {
  const match = MOMENT.exec(text);
  if (!match) return undefined;
  const [, date = "", minutes = "00:00", seconds = "00", fraction = "", offset = ""] = match;
  return {
    date,
    minutes,
    seconds,
    fraction: fraction.replace(/0+$/, ""),
    offset: offset === "Z" ? "+00:00" : offset,
  };
}

/** `2009-01-02T03:04:05.678`: ISO 8601, whose meaning no session setting changes. */
export function writeMoment({ date, minutes, seconds, fraction, offset }: Moment): string {
  const kept = fraction.slice(0, FINEST).replace(/0+$/, "");
  return `${date}T${minutes}:${seconds}${kept === "" ? "" : `.${kept}`}${offset}`;
}

/** A time of some day; undefined for a text that is not a time. */
export function readTime(text: string): Moment | undefined {
  const moment = readMoment(`1970-01-01T${text}`);
  return moment?.offset === "" ? moment : undefined;
}

/** The time of a moment alone. */
export function writeTime(moment: Moment): string {
  return writeMoment(moment).slice(11);
}

/** The driver's date, in UTC, with the decimals that a JavaScript date lacks. */
interface FineDate extends Date {
  /** Seconds beyond the milliseconds. */
  readonly nanosecondsDelta?: number;
}

/** Undefined for a value that is not a date. */
export function momentOf(value: unknown): Moment | undefined {
  if (typeof value === "string") return readMoment(value);
  if (!(value instanceof Date)) return undefined;
  const beyond = Math.round(((value as FineDate).nanosecondsDelta ?? 0) * 1e7);
  return readMoment(`${value.toISOString().slice(0, 23)}${String(beyond).padStart(4, "0")}`);
}

const PLAUSIBLE =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?/;
const OFFSET = /(Z|[+-](0\d|1[0-4]):[0-5]\d)$/;

/** `2009-01-02T03:04:05+02:00` of a `datetimeoffset`; the server checks whether the month has the day. */
export function special(text: string, column: Column): Value | undefined {
  if (parseType(column.declaredType).base !== "datetimeoffset") return undefined;
  if (!PLAUSIBLE.test(text) || !OFFSET.test(text)) return undefined;
  const moment = readMoment(text);
  return moment && writeMoment(moment);
}
