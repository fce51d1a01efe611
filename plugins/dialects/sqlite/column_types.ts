/**
 * The meaning of declared types. SQLite accepts any name; these rules cover the usual
 * names before SQLite's own rules.
 *
 * @module
 */

import type { Column, ValueType } from "@/plugins/contract.ts";
import { detailOf } from "@/plugins/kit/type_detail.ts";

/** SQLite's own classes of declared types. Source: Datatypes In SQLite, 3.1. */
type Affinity = "INTEGER" | "TEXT" | "BLOB" | "REAL" | "NUMERIC";

/** SQLite's own rules ("Determination Of Column Affinity"), in its order. */
const AFFINITIES: readonly (readonly [RegExp, Affinity])[] = [
  [/INT/, "INTEGER"],
  [/CHAR|CLOB|TEXT/, "TEXT"],
  [/BLOB|^\s*$/, "BLOB"],
  [/REAL|FLOA|DOUB/, "REAL"],
];

const TYPES: readonly (readonly [RegExp, ValueType])[] = [
  [/^(ANY)?$/, "any"],
  [/^BOOL/, "boolean"],
  [/^(SMALL)?DATETIME|^TIMESTAMP/, "datetime"],
  [/^DATE\b/, "date"],
  [/^TIME\b/, "time"],
  [/^(DECIMAL|DEC|NUMERIC|(SMALL)?MONEY|NUMBER)\b/, "decimal"],
  // Of GeoPackage and SpatiaLite.
  [/^(GEOMETRY(COLLECTION)?|(MULTI)?(POINT|LINESTRING|CURVE|POLYGON|SURFACE))\b/, "binary"],
  [/INT/, "integer"],
  [/CHAR|CLOB|TEXT|STRING|^(UUID|GUID|UNIQUEIDENTIFIER|ENUM)\b/, "text"],
  [/REAL|FLOA|DOUB/, "float"],
  [/BLOB|BINARY/, "binary"],
  [/JSON/, "json"],
];

/**
 * SQLite's conversion of values that are stored in, or compared with, a column. `ANY` has none in a STRICT
 * table, and is an unknown name elsewhere.
 */
export function affinityOf({ declaredType, loose }: Pick<Column, "declaredType" | "loose">): Affinity {
  const name = declaredType.toUpperCase();
  if (name === "ANY" && !loose) return "BLOB";
  return AFFINITIES.find(([pattern]) => pattern.test(name))?.[1] ?? "NUMERIC";
}

/** An unknown name has SQLite's numeric affinity, so it is `decimal`. */
export function valueTypeOf(declaredType: string): ValueType {
  const name = declaredType.trim().toUpperCase();
  return TYPES.find(([pattern]) => pattern.test(name))?.[1] ?? "decimal";
}

/** SQLite itself stores every integer and every float in 64 bits. */
export function typeDetailOf(declaredType: string): Pick<Column, "detail"> {
  const type = valueTypeOf(declaredType);
  if (type === "integer" || type === "float") return { detail: { bits: 64 } };
  return detailOf(declaredType, type, {});
}

/** `40` of `NVARCHAR(40)`; only text has a length in characters. */
export function maxLengthOf(declaredType: string): number | undefined {
  if (valueTypeOf(declaredType) !== "text") return undefined;
  const digits = /\(\s*(\d+)/.exec(declaredType)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
