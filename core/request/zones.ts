/**
 * Times with `Z` or an offset, as JavaScript, Java and pandas send them, and
 * the optional `Z` of answers. Pure.
 *
 * @module
 */

import type { Column } from "@/core/catalog.ts";
import type { Cell, Row } from "@/core/model.ts";
import type { Body, Shape, ShapeColumn, Writer } from "@/plugins/contract.ts";

/** A time, its `Z` or offset, and PostgreSQL's era. */
const WITH_SUFFIX = /^(.*\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d(?::?\d\d)?)( BC)?$/;
const OFFSET = /^([+-])([01]\d|2[0-3])(?::?([0-5]\d))?$/;
/** A date, optionally with `Z` or with the midnight that JavaScript and pandas add. */
const DAY = /^(\d{4}-\d\d-\d\d)(?:[T ]00:00(?::00(?:\.0+)?)?)?Z?$/;

/**
 * A date or time without its suffix: converted to UTC if the type has a zone; otherwise only an offset of
 * zero is allowed. Undefined: the offset has no meaning. Text of a type that keeps offsets stays unchanged.
 */
export function withoutSuffix(
  text: string,
  { type, zone }: Pick<Column, "type" | "zone">,
): string | undefined {
  if (type === "date") return DAY.exec(text)?.[1] ?? text;
  if ((type !== "datetime" && type !== "time") || zone === "offset") return text;
  const [, time, suffix = "", era = ""] = WITH_SUFFIX.exec(text) ?? [];
  if (time === undefined) return text;
  const offset = minutesOf(suffix);
  if (offset === 0) return time + era;
  if (offset === undefined || zone !== "utc" || era !== "") return undefined;
  return type === "time" ? timeInUtc(time, offset) : momentInUtc(time, offset);
}

function minutesOf(suffix: string): number | undefined {
  if (suffix === "Z") return 0;
  const [, sign, hours, minutes = "0"] = OFFSET.exec(suffix) ?? [];
  if (hours === undefined) return undefined;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) || 0;
}

const MOMENT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(.*)$/;

/**
 * Offsets are whole minutes, so seconds and their fraction stay. Undefined outside the years 0000 to 9999.
 */
function momentInUtc(text: string, offset: number): string | undefined {
  const [, date, minutes, rest = ""] = MOMENT.exec(text) ?? [];
  const local = new Date(`${date}T${minutes}Z`);
  // Text that is not a date is refused later, unchanged.
  if (Number.isNaN(local.getTime()) || local.toISOString().slice(0, 10) !== date) return text;
  const utc = new Date(local.getTime() - offset * 60_000).toISOString();
  return /^\d/.test(utc) ? utc.slice(0, 16) + rest : undefined;
}

/** Any day will do: a time wraps around at midnight. */
function timeInUtc(text: string, offset: number): string | undefined {
  return momentInUtc(`2000-01-02T${text}`, offset)?.slice(11);
}

// ── Answers ──

/** The suffix of a column's times: `Z` if the answer has it, `offset` if each value has its own. */
export function writtenZone({ zone }: Column, utcSuffix: boolean): Pick<ShapeColumn, "zone"> {
  if (zone === "offset") return { zone };
  return zone === "utc" && utcSuffix ? { zone: "Z" } : {};
}

/** Wraps a writer so that times in UTC have their `Z`; returns the writer itself if the shape has none. */
export function withZones(writer: Writer, shape: Shape): Writer {
  const suffix = shape.form === "columns" ? turnedSuffix(shape) : rowSuffix(shape);
  if (!suffix) return writer;
  return (page) => {
    const body = writer(page);
    return {
      begin: () => body.begin(),
      row: (row, first) => body.row(suffix(row), first),
      end: () => body.end(),
    } satisfies Body;
  };
}

type Suffix = (row: Row) => Row;

function rowSuffix({ columns, toOne, toMany }: Shape): Suffix | undefined {
  const changes = new Map<number, (cell: Cell) => Cell>();
  for (const [at, { zone }] of columns.entries()) if (zone === "Z") changes.set(at, withZ);
  for (const { expanded } of [...toOne, ...toMany]) {
    const suffix = expanded && rowSuffix(expanded.shape);
    if (suffix) changes.set(expanded.cell, (rows) => Array.isArray(rows) ? rows.map(suffix) : rows);
  }
  if (changes.size === 0) return undefined;
  return (row) => row.map((cell, at) => changes.get(at)?.(cell) ?? cell);
}

/** A transposed row begins with its column's name. */
function turnedSuffix({ columns }: Shape): Suffix | undefined {
  const names = new Set(columns.filter(({ zone }) => zone === "Z").map(({ name }) => name));
  if (names.size === 0) return undefined;
  return (row) => {
    const [name, ...cells] = row;
    return typeof name === "string" && names.has(name) ? [name, ...cells.map(withZ)] : row;
  };
}

/** Infinities and zero dates have no zone, and no suffix can follow `BC`. */
function withZ(cell: Cell): Cell {
  return typeof cell === "string" && /^(?!0000-00-00).*:\d\d(\.\d+)?$/.test(cell) ? `${cell}Z` : cell;
}
