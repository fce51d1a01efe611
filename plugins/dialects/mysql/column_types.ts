/**
 * What the types of MySQL and MariaDB mean.
 *
 * | type | is | because |
 * |---|---|---|
 * | `tinyint(1)`, `bit(1)` | boolean | that is how both servers declare BOOLEAN, and how flags are declared |
 * | `bit(n)`, `year` | integer | the number that the bits are |
 * | `time` | time | from -838:59:59 to 838:59:59: spans that are no time of day are read and written as well |
 * | `enum`, `set`, `uuid`, `inet4`, `inet6` | text | in the server's own spelling, which it takes back |
 * | `json`, on MariaDB text with a check `json_valid` | json | MariaDB has no other mark of it |
 * | geometries, vectors | left out | they have no text that the server takes as it is |
 *
 * @module
 */

import type { Column, TypeDetail, ValueType } from "@/plugins/contract.ts";
import { detailOf, parseType, typesByName } from "@/plugins/kit/type_detail.ts";

const TYPES = typesByName({
  integer: ["tinyint", "smallint", "mediumint", "int", "integer", "bigint", "year", "bit"],
  decimal: ["decimal", "numeric"],
  float: ["float", "double", "real"],
  text: [
    ...["char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set"],
    ...["uuid", "inet4", "inet6", "xmltype"],
  ],
  binary: ["binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"],
  date: ["date"],
  time: ["time"],
  datetime: ["datetime", "timestamp"],
  json: ["json"],
});

const BOOLEANS: ReadonlySet<string> = new Set(["tinyint(1)", "bit(1)"]);

/** Undefined for a type whose values cannot be written as they were read. */
export function valueTypeOf(dataType: string, columnType: string): ValueType | undefined {
  if (BOOLEANS.has(columnType.toLowerCase())) return "boolean";
  return TYPES.get(dataType.toLowerCase());
}

/** Sessions are in UTC; only `timestamp` stores moments. */
export function zoneOf(declaredType: string): { readonly zone?: "utc" } {
  return parseType(declaredType).base === "timestamp" ? { zone: "utc" } : {};
}

const BITS: Readonly<Record<string, number>> = {
  tinyint: 8,
  smallint: 16,
  mediumint: 24,
  int: 32,
  integer: 32,
};

const SIZES: Readonly<Record<string, TypeDetail>> = {
  ...Object.fromEntries(Object.entries(BITS).map(([name, bits]) => [name, { bits }])),
  bigint: { bits: 64 },
  float: { bits: 32 },
  double: { bits: 64 },
  real: { bits: 64 },
};

/** Digits, bits and sign of a type. */
export function typeDetailOf(declaredType: string, type: ValueType): Pick<Column, "detail"> {
  return detailOf(declaredType, type, SIZES);
}

/**
 * Limits of a type's values. Without strict mode, the server stores the empty text for a value
 * that is not a member of an enum.
 */
export function boundsOf(declaredType: string): Pick<Column, "bounds"> {
  const { base } = parseType(declaredType);
  const bits = BITS[base];
  if (bits !== undefined) {
    const isUnsigned = /\bunsigned\b/i.test(declaredType);
    const range = isUnsigned
      ? [0, 2 ** bits - 1] as const
      : [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] as const;
    return { bounds: { range } };
  }
  // The server tells a character beyond the basic plane, such as an emoji, as a question mark.
  if (base === "enum" && !declaredType.includes("?")) {
    return { bounds: { members: [...new Set([...membersOf(declaredType), ""])] } };
  }
  return base === "uuid" ? { bounds: { isUuid: true } } : {};
}

/** The members of `enum('a','it''s')` or `set(…)`. */
export function membersOf(declaredType: string): readonly string[] {
  return [...declaredType.matchAll(/'((?:[^']|'')*)'/g)].map(([, member = ""]) =>
    member.replaceAll("''", "'")
  );
}
