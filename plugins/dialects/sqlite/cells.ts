/**
 * The cells that answers show as a text but a comparison by the column's type does not find: SQLite stores any value in
 * any column, except in rowids and STRICT tables. The reverse of `decode.ts`.
 *
 * @module
 */

import type { Column, ValueType } from "@/plugins/contract.ts";

/** Columns whose affinity makes numbers of text. */
const NUMERIC: ReadonlySet<ValueType> = new Set(["integer", "decimal", "float"]);

/** The text itself, and the number and the bytes that are written like it. */
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
  const number = Number(text);
  if (String(number) === text && !Number.isNaN(number)) return [number];
  if (!/^-?[1-9]\d{15,18}$/.test(text)) return [];
  const exact = BigInt(text);
  return BigInt.asIntN(64, exact) === exact ? [exact] : [];
}

/** The bytes of base64. */
function bytesOf(text: string): readonly Uint8Array[] {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return [];
  const bytes = Uint8Array.fromBase64(text);
  return bytes.toBase64() === text ? [bytes] : [];
}
