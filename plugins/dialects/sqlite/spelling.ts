/**
 * Dates and times in the spelling of other cells: SQLite keeps them as text, and each program spells them differently.
 *
 * @module
 */

import type { Column } from "@/plugins/contract.ts";

const MOMENT = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?$/;
const CLOCK = /^(\d\d:\d\d)(:\d\d)?(?:\.(\d+))?(Z|[+-]00:00)?$/;
const MIDNIGHT = /^[T ]00:00(?::00(?:\.0+)?)?Z?$/;

/** Spells a new value, in the form that `stored` gives it, like a cell. */
type Speller = (value: string, cell: string) => string;

/**
 * Makes the function that spells a new value like a cell; values that are not text stay as they are. Undefined for types
 * whose values have one spelling.
 */
export function spelled({ type }: Column): ((value: unknown, cell: unknown) => unknown) | undefined {
  const spell = SPELLERS[type];
  return spell && ((value, cell) => {
    return typeof value === "string" && typeof cell === "string" ? spell(value, cell) : value;
  });
}

const SPELLERS: { readonly [type: string]: Speller | undefined } = {
  date: (value, cell) => MIDNIGHT.test(cell.slice(10)) ? value + cell.slice(10) : value,
  datetime: spellMoment,
  time: spellClock,
};

/** Spells a moment like a cell. Only midnights become dates for a cell without a time. */
function spellMoment(value: string, cell: string): string {
  if (!MOMENT.test(cell)) return value;
  const day = value.slice(0, 10);
  const time = value.slice(11);
  if (cell.length === 10) return time === "00:00:00" ? day : value;
  return day + cell.charAt(10) + spellClock(time, cell.slice(11));
}

/** Spells a time like a cell. Only zero seconds are left out, and no digit of a fraction is lost. */
function spellClock(value: string, cell: string): string {
  const given = CLOCK.exec(value);
  const like = CLOCK.exec(cell);
  if (!given || !like) return value;
  const [, minutes = "", seconds = ":00", digits = ""] = given;
  const fraction = digits.padEnd(like[3]?.length ?? 0, "0");
  const isShort = like[2] === undefined && seconds === ":00" && fraction === "";
  return minutes + (isShort ? "" : seconds) + (fraction === "" ? "" : `.${fraction}`) + (like[4] ?? "");
}
