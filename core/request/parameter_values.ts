/**
 * Parsers of query parameters' values. Each throws 400 with the parameter's name. Pure.
 *
 * @module
 */

import { badRequest, quote, type ServiceError } from "@/core/errors.ts";
import { BOOLEANS } from "./read_value.ts";

/** A column to sort by, by its name in the URL; the column may not exist. */
export interface SortKey {
  readonly column: string;
  readonly descending: boolean;
}

/** Reads the text after `name=`; undefined for a name without it. */
export type Parse<Value = boolean | number | string | readonly SortKey[]> = (
  text: string | undefined,
  name: string,
) => Value;

/** Longest marker in characters: each becomes part of a regular expression and of cache keys. */
export const MAX_MARKER = 16;

const FLAGS: ReadonlyMap<string | undefined, boolean> = new Map([[undefined, true], ...BOOLEANS]);

/** The refusal of a value. */
function wrong(name: string, expected: string, text: string | undefined): ServiceError {
  const found = text === undefined ? "no value" : quote(text);
  return badRequest(`Cannot use parameter "${name}": expected ${expected}, found ${found}`);
}

/** The name alone means true. */
export function flag(text: string | undefined, name: string): boolean {
  const value = FLAGS.get(text);
  if (value === undefined) throw wrong(name, "true or false", text);
  return value;
}

/** A whole number from 0. */
export function natural(largest: number): Parse<number> {
  return (text, name) => {
    const value = text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : NaN;
    if (!(value <= largest)) throw wrong(name, `a whole number from 0 to ${largest}`, text);
    return value;
  };
}

/** A whole number from 1, or `unbounded`. */
export function cardinality(text: string | undefined, name: string): number | "unbounded" {
  if (text === "unbounded") return text;
  const value = text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (!(value >= 1)) throw wrong(name, "a whole number from 1, or unbounded", text);
  return value;
}

/** The one zone that times are written in. */
export function zone(text: string | undefined, name: string): "Z" {
  if (text !== "Z") throw wrong(name, "Z, the only zone that times are written in", text);
  return text;
}

/** Longest text, in characters: it is part of cache keys. */
const MAX_TEXT = 200;

/** Any text, but not too long. */
export function text(value: string | undefined, name: string): string {
  if (value === undefined || value === "") throw wrong(name, "at least one character", value);
  if (value.length > MAX_TEXT) throw wrong(name, `at most ${MAX_TEXT} characters`, value);
  return value;
}

/** One of a few texts. */
export function oneOf(values: readonly string[]): Parse<string> {
  return (text, name) => {
    if (text !== undefined && values.includes(text)) return text;
    throw wrong(
      name,
      values.map(quote).join(" or "),
      text,
    );
  };
}

/** A short text. */
export function marker(text: string | undefined, name: string): string {
  if (text === undefined || text === "") throw wrong(name, "at least one character", text);
  if ([...text].length > MAX_MARKER) throw wrong(name, `at most ${MAX_MARKER} characters`, text);
  return text;
}

/** Columns to sort by: `Country,-LastName`. */
export function sortKeys(text: string | undefined, name: string): readonly SortKey[] {
  const keys = (text ?? "").split(",").map((part) => {
    return part.startsWith("-")
      ? { column: part.slice(1), descending: true }
      : { column: part, descending: false };
  });
  if (keys.some((key) => key.column === "")) throw wrong(name, "column names, as in Country,-LastName", text);
  return keys;
}
