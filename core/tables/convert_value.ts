/**
 * Converts a value of a body to one of its column. Pure.
 *
 * @module
 */

import type { Column } from "@/core/catalog.ts";
import type { Value } from "@/core/model.ts";
import { expectedOf, flawOf, readLexical, wholeNumber } from "@/core/request/read_value.ts";
import type { BodyValue, SqlTraits } from "@/plugins/contract.ts";
import { digitsOf } from "@/plugins/kit/numbers.ts";

/** A value of a body whose cell does not look like it. */
export type FullValue = Exclude<BodyValue, { readonly kind: "empty" }>;
type Converted = { readonly value: Value } | { readonly complaint: string };
type Stored = { readonly value: unknown } | { readonly complaint: string };

/**
 * The value to bind, or a complaint if it is not a value of the column or the
 * column cannot keep it unchanged.
 */
export function convertValue(
  value: FullValue,
  column: Column,
  { special, stored }: Pick<SqlTraits, "special" | "stored">,
): Stored {
  const converted = convert(value, column, special);
  if ("complaint" in converted) return converted;
  try {
    if (typeof value === "string") requireLength(value, column);
    return stored ? { value: stored(converted.value, column) } : converted;
  } catch (error) {
    if (error instanceof RangeError) return { complaint: error.message };
    throw error;
  }
}

function convert(value: FullValue, column: Column, special: SqlTraits["special"]): Converted {
  const { type, nullable } = column;
  if (value === null) return nullable ? { value } : { complaint: "must not be null" };
  if (typeof value === "string") return convertText(value, column, special);
  if (typeof value === "boolean") {
    if (type === "boolean" || type === "any") return { value };
    return type === "json" ? { value: String(value) } : wrongType(String(value), column);
  }
  if (value.kind === "number") return convertNumber(value.text, column, special);
  return type === "json" ? { value: value.text } : wrongType("an object or list", column);
}

function convertNumber(text: string, column: Column, special: SqlTraits["special"]): Converted {
  const { type } = column;
  if (type === "integer") return lexical(wholeNumber(text), column, special);
  if (type === "decimal" || type === "float") return lexical(text, column, special);
  if (type === "boolean" && (text === "0" || text === "1")) return { value: text === "1" };
  if (type === "json") return { value: text };
  if (type === "any") {
    const value = readLexical(text, { type: "integer" }) ?? Number(text);
    if (digitsOf(String(value)) === digitsOf(text)) return { value };
    return { complaint: `${cut(text, 40)} has more digits than a column without a type keeps` };
  }
  return wrongType(`the number ${cut(text, 40)}`, column);
}

/** Text is the value of a text column; for other types it is the lexical form, as in XML and CSV. */
function convertText(text: string, column: Column, special: SqlTraits["special"]): Converted {
  const { nullable, bounds } = column;
  const flaw = flawOf(text);
  if (flaw !== undefined) return { complaint: flaw };
  // An empty field of CSV: the type has no empty text.
  if (text === "" && nullable && bounds?.isUuid) return { value: null };
  if (column.type === "float" && INFINITIES.has(text)) return { value: INFINITIES.get(text) ?? 0 };
  return lexical(text, column, special);
}

/** JSON and XML Schema spell them differently. Few engines store NaN. */
const INFINITIES: ReadonlyMap<string, number> = new Map([
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
  ["INF", Infinity],
  ["-INF", -Infinity],
]);

function lexical(text: string, column: Column, special: SqlTraits["special"]): Converted {
  const value = readLexical(text, column, special);
  if (value === undefined) return wrongType(shorten(text), column, text);
  return complaintAboutRange(value, column) ?? { value };
}

/** The messages of databases tell neither the record nor, on PostgreSQL, the column. */
function complaintAboutRange(value: Value, { bounds }: Column): Converted | undefined {
  if (!bounds?.range || (typeof value !== "number" && typeof value !== "bigint")) return undefined;
  const [least, greatest] = bounds.range;
  if (value >= least && value <= greatest) return undefined;
  return { complaint: `${value} is not between ${least} and ${greatest}` };
}

function wrongType(found: string, column: Column, text?: string): Converted {
  return { complaint: `${found} is not ${expectedOf(column, text)}` };
}

/** Throws a RangeError for a text that is longer than its column keeps, which not every engine refuses. */
export function requireLength(text: string, { type, maxLength = Infinity }: Column): void {
  if (type === "text" && isLonger(text, maxLength)) throw new RangeError(`${shorten(text)} is too long`);
}

/** Counts code points, as most engines do: a surrogate pair is one character. */
function isLonger(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return false;
  return text.length > 2 * maxLength || [...text].length > maxLength;
}

/** A value in a message: its beginning in single quotes. */
function shorten(text: string): string {
  return `'${cut(text, 40)}'`;
}

/** The beginning of a text: a value from outside may be as long as the body. */
export function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 3)}...` : text;
}
