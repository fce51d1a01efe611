/**
 * SQL Server's types: names, meaning and lengths, and the code pages of narrow columns.
 *
 * @module
 */

import type { Column, TypeDetail, ValueType } from "@/plugins/contract.ts";
import { detailOf, parseType, typesByName } from "@/plugins/kit/type_detail.ts";

const VALUE_TYPES = typesByName({
  integer: ["bigint", "int", "smallint", "tinyint"],
  boolean: ["bit"],
  decimal: ["decimal", "numeric", "money", "smallmoney"],
  float: ["float", "real"],
  date: ["date"],
  time: ["time"],
  datetime: ["datetime", "datetime2", "smalldatetime", "datetimeoffset"],
  text: ["char", "varchar", "text", "nchar", "nvarchar", "ntext", "uniqueidentifier", "xml"],
  json: ["json"],
  binary: ["binary", "varbinary", "image", "timestamp"],
});

/** The type of values of a base type; undefined for an unsupported one. */
export function valueTypeOf(base: string): ValueType | undefined {
  return VALUE_TYPES.get(base);
}

/** Values of `datetimeoffset` keep the offset that they were written with. */
export function zoneOf(base: string): { readonly zone?: "offset" } {
  return base === "datetimeoffset" ? { zone: "offset" } : {};
}

const RANGES: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["tinyint", [0, 255]],
  ["smallint", [-(2 ** 15), 2 ** 15 - 1]],
  ["int", [-(2 ** 31), 2 ** 31 - 1]],
]);

/** The least and the greatest value of an integer type. */
export function rangeOf(base: string): readonly [number | bigint, number | bigint] {
  return RANGES.get(base) ?? [-(2n ** 63n), 2n ** 63n - 1n];
}

/** Limits of the values of a base type. */
export function boundsOf(base: string): Pick<Column, "bounds"> {
  const range = RANGES.get(base);
  if (range) return { bounds: { range } };
  return base === "uniqueidentifier" ? { bounds: { isUuid: true } } : {};
}

const SIZES: Readonly<Record<string, TypeDetail>> = {
  tinyint: { bits: 8, isUnsigned: true },
  smallint: { bits: 16 },
  int: { bits: 32 },
  bigint: { bits: 64 },
  real: { bits: 32 },
  float: { bits: 64 },
  money: { precision: 19, scale: 4 },
  smallmoney: { precision: 10, scale: 4 },
};

/** Digits, bits and sign of a declared type. */
export function typeDetailOf(declaredType: string, type: ValueType): Pick<Column, "detail"> {
  return detailOf(declaredType, type, SIZES);
}

/** The catalog's facts about a type. */
interface TypeFacts {
  readonly base: string;
  /** Bytes; -1 if unbounded. */
  readonly bytes: number;
  readonly precision: number;
  readonly scale: number;
}

/** The type as a declaration: `nvarchar(40)`. */
export function declare({ base, bytes, precision, scale }: TypeFacts): string {
  switch (base) {
    case "char":
    case "varchar":
    case "binary":
    case "varbinary":
      return `${base}(${bytes < 0 ? "max" : bytes})`;
    case "nchar":
    case "nvarchar":
      return `${base}(${bytes < 0 ? "max" : bytes / 2})`;
    case "decimal":
    case "numeric":
      return `${base}(${precision},${scale})`;
    case "datetime2":
    case "datetimeoffset":
    case "time":
      return `${base}(${scale})`;
    default:
      return base;
  }
}

/** Largest number of characters of a text type that declares one. */
export function lengthOf(declaredType: string): Pick<Column, "maxLength"> {
  const { base, size } = parseType(declaredType);
  return VALUE_TYPES.get(base) === "text" && size !== undefined ? { maxLength: size } : {};
}

/**
 * Encodings by the number of their code page; UTF-8 has every character, and the characters
 * of further pages are unknown here.
 */
const ENCODINGS: ReadonlyMap<number, string> = new Map([
  [874, "windows-874"],
  [932, "shift_jis"],
  [936, "gbk"],
  [949, "euc-kr"],
  [950, "big5"],
  ...[1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258].map((page) => [page, `windows-${page}`] as const),
]);

const repertoires = new Map<string, ReadonlySet<string>>();

/** The name for `TextDecoder`; none for pages with all of Unicode, and for unknown ones. */
export function encodingOf(codePage: number): Pick<Column, "encoding"> {
  const encoding = ENCODINGS.get(codePage);
  return encoding === undefined ? {} : { encoding };
}

/**
 * The first character of a text that an encoding lacks: the server would silently
 * replace it by `?` or a similar letter.
 */
export function findLacking(text: string, encoding: string): string | undefined {
  // deno-lint-ignore no-control-regex -- ASCII is in every code page
  if (/^[\x00-\x7f]*$/.test(text)) return undefined;
  const repertoire = repertoires.get(encoding) ?? readRepertoire(encoding);
  repertoires.set(encoding, repertoire);
  for (const character of text) {
    if (character.charCodeAt(0) > 0x7f && !repertoire.has(character)) return character;
  }
  return undefined;
}

/** Every character of one byte or two bytes. */
function readRepertoire(encoding: string): ReadonlySet<string> {
  const decoder = new TextDecoder(encoding);
  const characters = new Set<string>();
  for (let first = 0x80; first <= 0xff; first++) {
    characters.add(decoder.decode(new Uint8Array([first])));
    if (encoding.startsWith("windows-")) continue;
    for (let second = 0x40; second <= 0xfe; second++) {
      characters.add(decoder.decode(new Uint8Array([first, second])));
    }
  }
  characters.delete("\ufffd");
  return characters;
}
