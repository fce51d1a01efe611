/**
 * The spellings of cells: SQLite stores any value in any column, except in rowids and STRICT tables, and
 * keeps dates and times as text, which each program spells differently.
 *
 * @module
 */

import type { Column, ValueType } from "@/plugins/contract.ts";

const MOMENT = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?$/;
const CLOCK = /^(\d\d:\d\d)(:\d\d)?(?:\.(\d+))?(Z|[+-]00:00)?$/;
const MIDNIGHT = /^[T ]00:00(?::00(?:\.0+)?)?Z?$/;

/** Spells a new value, in the form that `stored` gives it, like a cell. */
type Speller = (value: string, cell: string) => string;

/**
 * Makes the function that spells a new value like a cell; values that are not text stay as they are.
 * Undefined for types whose values have one spelling.
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

/** Columns whose affinity makes numbers of text. */
const NUMERIC: ReadonlySet<ValueType> = new Set(["integer", "decimal", "float"]);

/**
 * The cells that answers show as a text but a comparison by the column's type does not find: the text itself,
 * and the number and the bytes that are written like it. The reverse of `decode.ts`.
 */
export function cells(text: string, { type }: Column): readonly unknown[] {
  if (type === "text" || (NUMERIC.has(type) && /^-?\d{1,15}$/.test(text))) return bytesOf(text);
  const texts = type === "datetime" || type === "time" ? spellingsOf(text) : [text];
  return [...texts, ...numberOf(text), ...bytesOf(text)];
}

/** Stored spellings of a time that answers show with a `T`, and with seconds or midnight added. */
function spellingsOf(text: string): readonly string[] {
  const spellings = [text, text.replace(/^(\d{4}-\d\d-\d\d)T/, "$1 ")];
  const short = spellings.map((each) => each.replace(/(?<=(?:^|[T ])\d\d:\d\d):00$/, ""));
  return [...new Set([...spellings, ...short, text.replace(/(?<=^.{10})T00:00:00$/, "")])];
}

function numberOf(text: string): readonly (number | bigint)[] {
  const exact = /^-?[1-9]\d{15,18}$/.test(text) ? BigInt(text) : undefined;
  // As a real it could equal another large integer.
  if (exact !== undefined && BigInt.asIntN(64, exact) === exact) return [exact];
  const number = Number(text);
  return String(number) === text && !Number.isNaN(number) ? [number] : [];
}

/** The bytes of base64. */
function bytesOf(text: string): readonly Uint8Array[] {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return [];
  const bytes = Uint8Array.fromBase64(text);
  return bytes.toBase64() === text ? [bytes] : [];
}
