/**
 * The SQL of MySQL and MariaDB.
 *
 * Text is compared by a column's collation, which usually ignores case and, in some, spaces at the end. In
 * LIKE a backslash is an ordinary character, because the service sets its own escape.
 *
 * @module
 */

import { type Expression, MysqlAdapter, MysqlQueryCompiler, type RawBuilder, sql } from "kysely";
import type { Column, CutValue, Insertion, SqlLexis, SqlTraits, Value } from "@/plugins/contract.ts";
import { decimalsOf, nearestReal } from "@/plugins/kit/numbers.ts";
import { parseType } from "@/plugins/kit/type_detail.ts";
import type { Server } from "./server.ts";
import { cells, ExactDecimal, specialOf, stored } from "./stored.ts";

const COMMON: Omit<SqlTraits, "lexis"> = {
  createAdapter: () => new MysqlAdapter(),
  createQueryCompiler: () => new MysqlQueryCompiler(),
  // The number of parameters has 16 bits.
  maxParameters: 65_535,
  parameter,
  // Of two changes that have read a record with shared locks, one would fail.
  forUpdate: true,
  secondDecimals: 6,
  // MariaDB 10.11 executes BETWEEN 'A' AND 'a' on a key as = 'A', even if case counts.
  between: false,
  cells,
  stored,
  // The empty text of old data is not a member, and cannot be stored again.
  respells: ({ declaredType }) => parseType(declaredType).base === "enum",
  // The default of a counted column is 0, which sessions here store as 0.
  defaulted: ({ identity }) => identity ? sql`null` : sql`default`,
  argument: parameter,
  cut,
  textual,
  // Zero dates of old data have no year.
  dayText: (reference) =>
    sql`case when ${reference} >= '0001-01-01' then left(cast(${reference} as char), 10) end`,
};

/** MariaDB returns inserted rows in order, and may read the table that it changes. */
export const mariadbTraits: SqlTraits = {
  ...COMMON,
  lexis: lexisOf({ flavour: "mariadb", version: [10, 6, 0] }),
  special: specialOf({ isMariadb: true }),
  insert: insertReturning,
};

/** MySQL reports the first counted key, and no other generated keys. */
export const mysqlTraits: SqlTraits = {
  ...COMMON,
  lexis: lexisOf({ flavour: "mysql", version: [8, 0, 0] }),
  special: specialOf({ isMariadb: false }),
  comparable,
  insert: insertPlain,
  ordersInserts: false,
  materializesTarget: true,
};

/** The server's traits for the core. */
export function traitsOf(server: Server): SqlTraits {
  const traits = server.flavour === "mariadb" ? mariadbTraits : mysqlTraits;
  return { ...traits, lexis: lexisOf(server) };
}

/**
 * A number is bound with its type, because the server would compare text with it as a floating-point number.
 */
function parameter(value: Value, column: Column): unknown {
  switch (column.type) {
    case "decimal":
      return value === null ? null : new ExactDecimal(String(value));
    case "integer":
      return typeof value === "number" ? comparedInteger(value, column) : value;
    case "float":
      return typeof value === "number" ? comparedFloat(value, column) : value;
    case "datetime":
      return typeof value === "string" ? value.replace("T", " ") : value;
    case "text":
      return typeof value === "number" || typeof value === "bigint" ? String(value) : value;
    default:
      return value;
  }
}

/** The server takes 70 for the year 1970. No year is between 0 and 1901, so 100 is as good. */
function comparedInteger(value: number, { declaredType }: Column): number {
  return value > 0 && value < 100 && parseType(declaredType).base === "year" ? 100 : value;
}

/** As the server stores it: -0.07 in a DOUBLE(10,2) is -1 + 0.93. */
function comparedFloat(value: number, { declaredType }: Column): number {
  const { base, scale } = parseType(declaredType);
  if (base === "float") return nearestReal(value);
  if (scale === undefined || decimalsOf(String(value)) > scale) return value;
  const whole = Math.floor(value);
  return whole + Math.round((value - whole) * 10 ** scale) / 10 ** scale;
}

/** MySQL compares JSON with text as a document with a JSON string, which no document equals. */
function comparable(reference: Expression<unknown>, column: Column): Expression<unknown> {
  return column.type === "json" ? asText(reference) : reference;
}

/** Types with room for more than a page shows. */
const LARGE: ReadonlySet<string> = new Set(
  ["varchar", "text", "mediumtext", "longtext", "varbinary", "blob", "mediumblob", "longblob"],
);

function cut(
  reference: Expression<unknown>,
  { type, declaredType }: Column,
  most: number,
): CutValue | undefined {
  if (!LARGE.has(parseType(declaredType).base)) return undefined;
  const isLong = sql`octet_length(${reference}) > ${sql.lit(most)}`;
  const length = type === "binary" ? sql`octet_length(${reference})` : sql`char_length(${reference})`;
  return {
    beginning: sql`case when ${isLong} then left(${reference}, ${sql.lit(most)}) else ${reference} end`,
    length: sql`case when ${isLong} then ${length} end`,
  };
}

const NO_TEXT: ReadonlySet<string> = new Set(["uuid", "inet4", "inet6", "json"]);

function textual(reference: Expression<unknown>, { declaredType }: Column): Expression<unknown> {
  return NO_TEXT.has(parseType(declaredType).base) ? asText(reference) : reference;
}

function asText(reference: Expression<unknown>): Expression<unknown> {
  return sql`cast(${reference} as char)`;
}

/**
 * The server's answer has the counted key of a single record, also if a trigger sets it; `RETURNING` takes
 * longer (measured: 14 of 135 µs in the service, 5 of 60 in the server).
 */
function insertReturning(insertion: Insertion): RawBuilder<unknown> {
  const { keys, columns, rows } = insertion;
  const isCounted = keys.every((key) => key.identity === true && !columns.includes(key));
  if (keys.length === 0 || (rows.length === 1 && isCounted)) return insertPlain(insertion);
  return sql`${insertPlain(insertion)} returning ${sql.join(keys.map(({ name }) => sql.id(name)))}`;
}

/** `() values ()` takes the default of every column. */
function insertPlain({ table, columns, rows }: Insertion): RawBuilder<unknown> {
  const names = columns.map(({ name }) => sql.id(name));
  const values = names.length === 0 ? [sql`()`] : rows.map((row) => sql`(${sql.join(row)})`);
  const list = names.length === 0 ? sql`` : sql.join(names);
  return sql`insert into ${table} (${list}) values ${sql.join(values)}`;
}

/**
 * In the modes of this dialect's sessions. The comments that a server
 * executes depend on its kind and version.
 */
export function lexisOf(server: Server): SqlLexis {
  return {
    names: [{ open: "`", close: "`", doubled: true }],
    strings: ["'", '"'],
    backslash: "always",
    hashComments: true,
    spacedDashes: true,
    executes: (opening) => executes(opening, server),
    placeholders: /\?/u,
    // Without SET, DO, HANDLER, LOAD, LOCK, PREPARE and statements that end a
    // transaction or change the catalog.
    statements: [
      ...["SELECT", "WITH", "VALUES", "TABLE", "INSERT", "REPLACE", "UPDATE", "DELETE"],
      ...["CALL", "EXPLAIN", "DESCRIBE", "SHOW"],
    ],
    // These write files on the server's disk.
    beyond: /(?<!\[)\b(?:OUTFILE|DUMPFILE)\b/iu,
  };
}

/** Versions of MySQL that MariaDB does not execute. */
const FOREIGN = { from: 50_700, to: 99_999 };

/** `/*!` and `/*M!`, with the first version that executes the content. */
function executes(opening: string, { flavour, version: [major, minor, patch] }: Server): boolean {
  const [, isMariadb, digits] = /^\/\*(M?)!(\d*)$/.exec(opening) ?? [];
  if (isMariadb === undefined || (isMariadb === "M" && flavour === "mysql")) return false;
  const required = Number(digits ?? 0);
  const isForeign = flavour === "mariadb" && isMariadb === "" && required >= FOREIGN.from &&
    required <= FOREIGN.to;
  return !isForeign && required <= major * 10_000 + minor * 100 + patch;
}
