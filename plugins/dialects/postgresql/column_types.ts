/**
 * The meaning of PostgreSQL's types for the service.
 *
 * @module
 */

import type { Column, TypeDetail, ValueType } from "@/plugins/contract.ts";
import { detailOf } from "@/plugins/kit/type_detail.ts";
import type { ColumnRow } from "./catalog_queries.ts";
import { type Form, MICROSECONDS, type PostgresColumn } from "./forms.ts";
import { IRREGULAR, IRREGULAR_OFFSET } from "./specials.ts";

interface Meaning {
  readonly type: ValueType;
  readonly form: Form;
  readonly zone?: NonNullable<Column["zone"]>;
}

const TEXT: Meaning = { type: "text", form: "text" };
const OTHER: Meaning = { type: "text", form: "plain" };
const INCOMPARABLE: Meaning = { type: "text", form: "incomparable" };

/** Built-in types by their names in the catalog. All others are text in PostgreSQL's spelling. */
const BUILT_IN: ReadonlyMap<string, Meaning> = new Map(
  ([
    [{ type: "boolean", form: "plain" }, "bool"],
    [{ type: "binary", form: "plain" }, "bytea"],
    [{ type: "integer", form: "integer" }, "int2", "int4", "int8"],
    [{ type: "integer", form: "oid" }, "oid"],
    [{ type: "decimal", form: "plain" }, "numeric"],
    [{ type: "decimal", form: "money" }, "money"],
    [{ type: "float", form: "real" }, "float4"],
    [{ type: "float", form: "plain" }, "float8"],
    [{ type: "date", form: "plain" }, "date"],
    [{ type: "time", form: "plain" }, "time"],
    [{ type: "time", form: "timetz", zone: "offset" }, "timetz"],
    [{ type: "datetime", form: "plain" }, "timestamp"],
    [{ type: "datetime", form: "timestamptz", zone: "utc" }, "timestamptz"],
    [{ type: "json", form: "json" }, "json", "jsonb"],
    [TEXT, "text", "varchar"],
    [{ type: "text", form: "padded" }, "bpchar"],
    [{ type: "text", form: "short" }, "name", "char"],
    [{ type: "text", form: "inet" }, "inet"],
    // These names of objects are compared by their numbers, which a text cannot be read as everywhere.
    [INCOMPARABLE, "regclass", "regtype", "regproc", "regprocedure", "regoper", "regoperator"],
    [INCOMPARABLE, "regrole", "regnamespace", "regconfig", "regdictionary", "regcollation"],
  ] satisfies [Meaning, ...string[]][]).flatMap(([meaning, ...names]) => {
    return names.map((name) => [name, meaning] as const);
  }),
);

/** OIDs of types of users and extensions are larger. */
const FIRST_OF_USERS = 16_384;
/** Bytes that the length of a text includes beside its characters. */
const HEADER = 4;

/** Undefined for a type without readable values. */
export function meaningOf(
  { base, baseKind, baseName, ordered = true }:
    & Pick<ColumnRow, "base" | "baseKind" | "baseName">
    & Partial<Pick<ColumnRow, "ordered">>,
): Meaning | undefined {
  if (baseKind === "p") return undefined;
  const known = base < FIRST_OF_USERS ? BUILT_IN.get(baseName) : baseName === "citext" ? TEXT : undefined;
  return known ?? (ordered ? OTHER : INCOMPARABLE);
}

/** Undefined for a type whose values cannot be read. */
export function describeColumn(row: ColumnRow): PostgresColumn | undefined {
  const meaning = meaningOf(row);
  if (!meaning) return undefined;
  return {
    name: row.name,
    ...meaning,
    declaredType: row.declared,
    ...irregularOf(meaning),
    ...scaleOf(row),
    nullable: !row.notNull,
    ...maxLengthOf(row),
    ...boundsOf(row),
    ...typeDetailOf(row, meaning.type),
    ...(meaning.type === "text" && row.labels === null && isNeverEmpty(row) ? { neverEmpty: true } : {}),
    ...(row.castTo === null ? {} : { castTo: row.castTo }),
    hasDefault: row.filled || row.generated,
    ...(row.counted ? { identity: true } : {}),
    generated: row.generated,
    ...(row.comment === null ? {} : { comment: row.comment }),
  };
}

const SIZES: Readonly<Record<string, TypeDetail>> = {
  smallint: { bits: 16 },
  integer: { bits: 32 },
  bigint: { bits: 64 },
  oid: { bits: 32, isUnsigned: true },
  real: { bits: 32 },
  "double precision": { bits: 64 },
};

/** Digits, bits and sign of a type, and the elements of an array. */
export function typeDetailOf(
  { declared, baseName }: Pick<ColumnRow, "declared" | "baseName">,
  type: ValueType,
): Pick<Column, "detail"> {
  if (declared.endsWith("[]")) {
    return { detail: { element: BUILT_IN.get(baseName.replace(/^_/, ""))?.type ?? "text" } };
  }
  return detailOf(declared, type, SIZES);
}

/** {@link Column.irregular} of a type; money has no such values. */
export function irregularOf(
  { type, form }: Pick<PostgresColumn, "type" | "form">,
): Pick<PostgresColumn, "irregular"> {
  if (form === "timetz") return { irregular: IRREGULAR_OFFSET };
  const irregular = form === "money" ? undefined : IRREGULAR[type];
  return irregular === undefined ? {} : { irregular };
}

/** Built-in types with an empty text. */
const EMPTY: ReadonlySet<string> = new Set([
  ...["text", "varchar", "bpchar", "char", "name", "refcursor"],
  ...["xml", "varbit", "tsvector", "tsquery", "int2vector", "oidvector"],
]);

/** Types of PostGIS, pgvector, cube and seg that have no empty text. The catalog does not tell it. */
const NEVER_EMPTY: ReadonlySet<string> = new Set([
  ...["geometry", "geography", "raster", "box2d", "box3d"],
  ...["vector", "halfvec", "sparsevec", "cube", "seg"],
]);

/** Whether an empty text is no value of a type, also of an array, range or composite type of users. */
function isNeverEmpty({ base, baseKind, baseName }: ColumnRow): boolean {
  if (baseKind !== "b") return true;
  if (baseName.startsWith("_")) return true;
  return base < FIRST_OF_USERS ? !EMPTY.has(baseName) : NEVER_EMPTY.has(baseName);
}

/** Largest number of characters of a type. */
function maxLengthOf({ base, baseName, modifier }: ColumnRow): Pick<Column, "maxLength"> {
  const isLimited = base < FIRST_OF_USERS && (baseName === "varchar" || baseName === "bpchar");
  return isLimited && modifier > HEADER ? { maxLength: modifier - HEADER } : {};
}

/**
 * Digits after the point, also of each element of an array, if the type limits them; a negative number rounds
 * to tens, hundreds and so on.
 */
function scaleOf({ base, baseName, modifier }: ColumnRow): Pick<PostgresColumn, "scale"> {
  const name = baseName.replace(/^_/, "");
  // The lower bits are the digits of the seconds; all bits are set without any.
  if (name === "interval") return { scale: Math.min(MICROSECONDS, modifier & 0xffff) };
  if (base >= FIRST_OF_USERS) return {};
  // The modifier of time types, and here of money, is the number of digits.
  if (/^time(stamp)?(tz)?$/.test(name)) return { scale: modifier < 0 ? MICROSECONDS : modifier };
  if (modifier < 0) return {};
  if (name === "money") return { scale: modifier };
  // The last eleven bits, of which the first is the sign.
  return name === "numeric" ? { scale: (((modifier - HEADER) & 0x7ff) ^ 0x400) - 0x400 } : {};
}

const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  int2: [-(2 ** 15), 2 ** 15 - 1],
  int4: [-(2 ** 31), 2 ** 31 - 1],
  oid: [0, 2 ** 32 - 1],
};

/** Limits of the values of a built-in type, of an enum, or of a text whose values a check lists. */
function boundsOf({ base, baseName, labels, checks }: ColumnRow): Pick<Column, "bounds"> {
  if (labels !== null) return { bounds: { members: labels } };
  if (base >= FIRST_OF_USERS) return {};
  const members = baseName === "text" || baseName === "varchar" ? listedBy(checks ?? []) : undefined;
  if (members) return { bounds: { members } };
  const range = RANGES[baseName];
  if (range) return { bounds: { range } };
  return baseName === "uuid" ? { bounds: { isUuid: true } } : {};
}

/**
 * `CHECK (state IN ('open', 'it''s'))` as PostgreSQL prints it: the column, in quotes where it needs them and
 * with a cast where it is `varchar`, and an array.
 */
const LISTING = new RegExp(
  String.raw`^CHECK \(\((?:NAME|\(NAME\)::text) = ANY \(\(?ARRAY\[(TEXT(?:, TEXT)*)\](?:\)::text\[\])?\)\)\)$`
    .replaceAll("NAME", String.raw`(?:[a-z_][a-z0-9_$]*|"(?:[^"]|"")+")`)
    .replaceAll("TEXT", String.raw`'(?:[^']|'')*'::(?:text|character varying)`),
);

/** The values of the first check that lists them all. */
function listedBy(checks: readonly string[]): readonly string[] | undefined {
  const [, list] = checks.map((check) => LISTING.exec(check)).find((found) => found !== null) ?? [];
  const texts = list?.matchAll(/'((?:[^']|'')*)'::/g).map(([, text = ""]) => text.replaceAll("''", "'"));
  return texts && [...new Set(texts)];
}
