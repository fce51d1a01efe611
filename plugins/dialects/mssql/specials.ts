/**
 * Values that other engines lack: times with the offset they were written with.
 *
 * @module
 */

import type { Column, Value } from "@/plugins/contract.ts";
import { parseType } from "./column_types.ts";
import { readMoment, writeMoment } from "./moments.ts";

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
