/**
 * The meaning of PostgreSQL's types for the service.
 *
 * @module
 */

import type { Column, ValueType } from "@/plugins/contract.ts";
import type { ColumnRow } from "./catalog_queries.ts";
import type { Form } from "./forms.ts";

interface Meaning {
  readonly type: ValueType;
  readonly form: Form;
  readonly zone?: NonNullable<Column["zone"]>;
}

const TEXT: Meaning = { type: "text", form: "text" };
const OTHER: Meaning = { type: "text", form: "plain" };
const INCOMPARABLE: Meaning = { type: "text", form: "incomparable" };

/** Built-in types by their name in the catalog. All others are text in PostgreSQL's spelling. */
const BUILT_IN: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ["bool", { type: "boolean", form: "plain" }],
  ["bytea", { type: "binary", form: "plain" }],
  ["int2", { type: "integer", form: "integer" }],
  ["int4", { type: "integer", form: "integer" }],
  ["int8", { type: "integer", form: "integer" }],
  ["oid", { type: "integer", form: "integer" }],
  ["numeric", { type: "decimal", form: "plain" }],
  ["money", { type: "decimal", form: "money" }],
  ["float4", { type: "float", form: "plain" }],
  ["float8", { type: "float", form: "plain" }],
  ["date", { type: "date", form: "plain" }],
  ["time", { type: "time", form: "plain" }],
  ["timetz", { type: "time", form: "timetz", zone: "offset" }],
  ["timestamp", { type: "datetime", form: "plain" }],
  ["timestamptz", { type: "datetime", form: "timestamptz", zone: "utc" }],
  ["json", { type: "json", form: "json" }],
  ["jsonb", { type: "json", form: "json" }],
  ["text", TEXT],
  ["varchar", TEXT],
  ["bpchar", TEXT],
  ["name", TEXT],
  ["xml", INCOMPARABLE],
  ["point", INCOMPARABLE],
  ["line", INCOMPARABLE],
  ["lseg", INCOMPARABLE],
  ["box", INCOMPARABLE],
  ["path", INCOMPARABLE],
  ["polygon", INCOMPARABLE],
  ["circle", INCOMPARABLE],
  ["jsonpath", INCOMPARABLE],
  ["aclitem", INCOMPARABLE],
  ["refcursor", INCOMPARABLE],
  ["cid", INCOMPARABLE],
  ["xid", INCOMPARABLE],
  ["pg_snapshot", INCOMPARABLE],
  ["txid_snapshot", INCOMPARABLE],
]);

/** OIDs of types of users and extensions are larger. */
const FIRST_OF_USERS = 16_384;
/** Bytes that the length of a text includes beside its characters. */
const HEADER = 4;

/** Undefined for a type without readable values. */
export function meaningOf(
  { base, baseKind, baseName }: Pick<ColumnRow, "base" | "baseKind" | "baseName">,
): Meaning | undefined {
  if (baseKind === "p") return undefined;
  if (baseKind === "c") return INCOMPARABLE;
  if (base >= FIRST_OF_USERS) return baseName === "citext" ? TEXT : OTHER;
  return BUILT_IN.get(baseName) ?? OTHER;
}

/** Largest number of characters of a type. */
export function maxLengthOf({ base, baseName, modifier }: ColumnRow): number | undefined {
  const isLimited = base < FIRST_OF_USERS && (baseName === "varchar" || baseName === "bpchar");
  return isLimited && modifier > HEADER ? modifier - HEADER : undefined;
}

/** The modifier of time types is the number of digits. */
const TIMES = new Set(["time", "timetz", "timestamp", "timestamptz"]);

/** Digits after the point, if the declaration limits them; a negative number rounds to tens, hundreds and so on. */
export function scaleOf({ base, baseName, modifier }: ColumnRow): number | undefined {
  if (base >= FIRST_OF_USERS || modifier < 0) return undefined;
  if (TIMES.has(baseName)) return modifier;
  // The last eleven bits, of which the first is the sign.
  return baseName === "numeric" ? (((modifier - HEADER) & 0x7ff) ^ 0x400) - 0x400 : undefined;
}

const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  int2: [-(2 ** 15), 2 ** 15 - 1],
  int4: [-(2 ** 31), 2 ** 31 - 1],
  oid: [0, 2 ** 32 - 1],
};

/** Limits of the values of a built-in type or of an enum. */
export function boundsOf(
  { base, baseName, labels }: Pick<ColumnRow, "base" | "baseName" | "labels">,
): Pick<Column, "bounds"> {
  if (labels !== null) return { bounds: { members: JSON.parse(labels) } };
  if (base >= FIRST_OF_USERS) return {};
  const range = RANGES[baseName];
  if (range) return { bounds: { range } };
  return baseName === "uuid" ? { bounds: { isUuid: true } } : {};
}
