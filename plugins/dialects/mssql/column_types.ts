/**
 * SQL Server's types: names, meaning and lengths.
 *
 * @module
 */

import type { Column, ValueType } from "@/plugins/contract.ts";

/** A declared type in its parts: `decimal(10, 2)`. */
export interface DeclaredType {
  readonly base: string;
  /** Characters, bytes, digits, or decimals of a second; `max` if unbounded. */
  readonly size?: number | "max";
  readonly scale?: number;
}

const VALUE_TYPES: ReadonlyMap<string, ValueType> = new Map([
  ["bigint", "integer"],
  ["int", "integer"],
  ["smallint", "integer"],
  ["tinyint", "integer"],
  ["bit", "boolean"],
  ["decimal", "decimal"],
  ["numeric", "decimal"],
  ["money", "decimal"],
  ["smallmoney", "decimal"],
  ["float", "float"],
  ["real", "float"],
  ["date", "date"],
  ["time", "time"],
  ["datetime", "datetime"],
  ["datetime2", "datetime"],
  ["smalldatetime", "datetime"],
  ["datetimeoffset", "datetime"],
  ["char", "text"],
  ["varchar", "text"],
  ["text", "text"],
  ["nchar", "text"],
  ["nvarchar", "text"],
  ["ntext", "text"],
  ["uniqueidentifier", "text"],
  ["xml", "text"],
  ["json", "json"],
  ["binary", "binary"],
  ["varbinary", "binary"],
  ["image", "binary"],
  ["timestamp", "binary"],
]);

/** The type of values of a base type; undefined for an unsupported one. */
export function valueTypeOf(base: string): ValueType | undefined {
  return VALUE_TYPES.get(base);
}

/** Values of `datetimeoffset` keep the offset that they were written with. */
export function zoneOf(base: string): { readonly zone?: "offset" } {
  return base === "datetimeoffset" ? { zone: "offset" } : {};
}

const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  tinyint: [0, 255],
  smallint: [-(2 ** 15), 2 ** 15 - 1],
  int: [-(2 ** 31), 2 ** 31 - 1],
};

/** Limits of the values of a base type. */
export function boundsOf(base: string): Pick<Column, "bounds"> {
  const range = RANGES[base];
  if (range) return { bounds: { range } };
  return base === "uniqueidentifier" ? { bounds: { isUuid: true } } : {};
}

const known = new Map<string, DeclaredType>();

/** The parts of a declared type. There are few types, so each is parsed once. */
export function parseType(declaredType: string): DeclaredType {
  const found = known.get(declaredType);
  if (found) return found;
  const parsed = parse(declaredType);
  if (known.size < 10_000) known.set(declaredType, parsed);
  return parsed;
}

function parse(declaredType: string): DeclaredType {
  const match = /^(\w+)(?:\((max|\d+)(?:, ?(\d+))?\))?$/.exec(declaredType);
  const [, base = "", size, scale] = match ?? [];
  return {
    base,
    ...(size === undefined ? {} : { size: size === "max" ? size : Number(size) }),
    ...(scale === undefined ? {} : { scale: Number(scale) }),
  };
}

/** The catalog's facts about a type. */
export interface TypeFacts {
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
export function lengthOf({ base, size }: DeclaredType): number | undefined {
  return VALUE_TYPES.get(base) === "text" && typeof size === "number" ? size : undefined;
}
