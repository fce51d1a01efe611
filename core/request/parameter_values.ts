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
  /** The name without percent-encoding, which hides a comma or a hyphen at the start: `a%2Cb`. */
  readonly decoded: string;
  readonly descending: boolean;
}

/** Reads the text after `name=`; undefined for a name without it. */
export type Parse<Value = boolean | number | string | readonly SortKey[]> = (
  text: string | undefined,
  name: string,
) => Value;

const FLAGS: ReadonlyMap<string | undefined, boolean> = new Map([[undefined, true], ...BOOLEANS]);

function wrong(name: string, expected: string, text: string | undefined): ServiceError {
  const found = text === undefined ? "no value" : quote(text);
  return badRequest(`Cannot use parameter "${name}": expected ${expected}, found ${found}`);
}

/** The name alone means true, also as `name=`: libraries for URLs write it so. */
export function flag(text: string | undefined, name: string): boolean {
  return text === "" || plainFlag(text, name);
}

/** Refuses `name=`, which a script with an unset variable may send. */
export function plainFlag(text: string | undefined, name: string): boolean {
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

/** A text of one to `most` characters: it becomes part of cache keys. */
export function shortText(most: number): Parse<string> {
  return (text, name) => {
    if (text === undefined || text === "") throw wrong(name, "at least one character", text);
    if ([...text].length > most) throw wrong(name, `at most ${most} characters`, text);
    return text;
  };
}

/** One of a few texts. */
export function oneOf(values: readonly string[]): Parse<string> {
  return (text, name) => {
    if (text !== undefined && values.includes(text)) return text;
    throw wrong(name, values.map(quote).join(" or "), text);
  };
}

/** Columns to sort by: `Country,-LastName`. A column may have an empty name. */
export function sortKeys(text: string | undefined, name: string): readonly SortKey[] {
  if (text === undefined) throw wrong(name, "column names, as in Country,-LastName", text);
  return text.split(",").map((part) => {
    const descending = part.startsWith("-");
    const column = descending ? part.slice(1) : part;
    return { column, decoded: decodeName(column), descending };
  });
}

/** A text without its percent-encoding; one that is not percent-encoded stays as it is. */
export function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
