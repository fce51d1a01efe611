/**
 * Dates as spreadsheets have them: days since the end of 1899, without a zone.
 *
 * @module
 */

/** The parts of a moment that a number format shows. */
export type DateKind = "date" | "datetime" | "time";

const DAY = 86_400_000;
/** Day 0, for days after February 1900: spreadsheets believe that there was a 29th. */
const EPOCH = Date.UTC(1899, 11, 30);
/** The first day after that mistake. */
const FIRST = 61;
/** The end of the year 9999. */
const LAST = 2_958_466;
/** Days between the two beginnings that workbooks may have. */
const DAYS_TO_1904 = 1462;

/** The number of a date or a time; undefined unless {@link textOf} gives exactly this text for it. */
export function serialOf(text: string, kind: "date" | "datetime"): number | undefined {
  const [matched] = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,3})?)?$/.exec(text) ?? [];
  if (matched === undefined) return undefined;
  const serial = (Date.parse(matched.length === 10 ? `${matched}T00:00:00Z` : `${matched}Z`) - EPOCH) / DAY;
  return serial >= FIRST && textOf(serial, kind) === text ? serial : undefined;
}

/** The text of a number of days; undefined outside of the calendar of spreadsheets. */
export function textOf(serial: number, kind: DateKind, isFrom1904 = false): string | undefined {
  const days = serial + (isFrom1904 ? DAYS_TO_1904 : 0);
  if (!(days >= 0 && days < LAST)) return undefined;
  // Days are fractions: a millisecond is far above their precision.
  const moment = new Date(EPOCH + Math.round((days < FIRST - 1 ? days + 1 : days) * DAY));
  const [date = "", clock = ""] = moment.toISOString().slice(0, -1).split("T");
  const whole = clock.replace(/(?:\.0+|(\.\d*[1-9])0+)$/, "$1");
  if (kind === "time") return whole;
  return kind === "date" ? date : `${date}T${whole}`;
}

/** Number formats with dates that every workbook knows. */
const BUILT_IN: ReadonlyMap<number, DateKind> = new Map([
  ...[14, 15, 16, 17].map((id) => [id, "date"] as const),
  ...[18, 19, 20, 21, 45, 46, 47].map((id) => [id, "time"] as const),
  [22, "datetime"],
]);

/** What a number format shows; undefined for numbers. `code`: of a format that the workbook defines. */
export function kindOf(id: number, code: string | undefined): DateKind | undefined {
  if (code === undefined) return BUILT_IN.get(id);
  const letters = code.replace(/"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|_./gi, "").toLowerCase();
  const hasDay = /[yd]/.test(letters);
  if (/[hs]/.test(letters)) return hasDay ? "datetime" : "time";
  return hasDay || /m/.test(letters) && !/[0#?]/.test(letters) ? "date" : undefined;
}
