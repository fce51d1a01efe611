/**
 * SQLite's SQL: dates are text, booleans are integers, a column without a type stores any value.
 *
 * @module
 */

import { type Expression, type RawBuilder, sql, SqliteAdapter, SqliteQueryCompiler } from "kysely";
import type { Column, CutValue, SqlTraits, Value, ValueType } from "@/plugins/contract.ts";
import { cells, spelled } from "./spelling.ts";
import { stored, storedDatetime, storedTime } from "./stored.ts";

const SMALLEST = -(2 ** 63);
/** Matches a text that begins with a date. */
const DATE = sql.lit("[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*");

/** SQLite's traits for the core. */
export const traits: SqlTraits = {
  createAdapter: () => new SqliteAdapter(),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  maxParameters: 32_766,
  lexis: {
    names: [
      { open: '"', close: '"', doubled: true },
      { open: "`", close: "`", doubled: true },
      { open: "[", close: "]", doubled: false },
      // A string may name a table: `FROM 'item'`.
      { open: "'", close: "'", doubled: true },
    ],
    strings: ["'"],
    placeholders: /\?\d*|[@$#:][\p{L}\p{N}_]+/u,
    // Without ATTACH, PRAGMA and VACUUM INTO, which reach beyond the file.
    statements: ["SELECT", "WITH", "VALUES", "INSERT", "REPLACE", "UPDATE", "DELETE", "EXPLAIN"],
    // SQLite runs some PRAGMAs while preparing them, even in EXPLAIN. The functions tell the file's path, and
    // read and set addresses of the service's memory, also by their quoted names.
    beyond: /(?<!\[)\bPRAGMA\b|\b(?:pragma_database_list|fts3_tokenizer)\b/iu,
  },
  dayText: (reference) => sql`case when ${reference} glob ${DATE} then substr(${reference}, 1, 10) end`,
  summed,
  comparable: (reference, { type }) => CANONICAL[type]?.(reference) ?? reference,
  indexed,
  parameter,
  special,
  cells,
  stored,
  spelled,
  // For a rowid that an UPDATE names, SQLite looks through the tables that refer to it, though it stays.
  // Text may be of another encoding than the file's, also in a STRICT table.
  respells: ({ loose, type, identity }) =>
    loose === true || identity === true || type === "any" || type === "text",
  defaulted,
  cut,
  argument: stored,
  plansLimits: true,
};

/**
 * A sum beyond 64 bits would fail, so halves of 32 bits are added; it is exact where it fits into 64 bits.
 * Cells that are no integers, which SQLite stores in any column, make the sum a real. A sum of decimals has
 * no more digits after the point than 15 digits of its parts have: 1000.1 + 0.2 - 1000.3 is 0.
 */
function summed(compared: Expression<unknown>, { type }: Column): Expression<unknown> {
  const size = sql`total(abs(${compared}))`;
  if (type === "decimal") {
    return sql`case when typeof(sum(${compared})) = 'integer' or ${size} < 1 then sum(${compared})
      else round(sum(${compared}), 15 - length(cast(${size} as integer))) end`;
  }
  if (type !== "integer") return sql`sum(${compared})`;
  const isExact =
    sql`max(typeof(${compared}) not in ('integer', 'null')) = 0 and abs(total(${compared})) < 9e18`;
  const exact = sql`sum(${compared} >> 32) * 4294967296 + sum(${compared} & 4294967295)`;
  return sql`case when ${isExact} then ${exact} else sum(cast(${compared} as real)) end`;
}

/**
 * SQLite has no keyword for it; NULL generates the next key, and is the value of a column without a default.
 */
function defaulted({ identity, hasDefault }: Column): RawBuilder<unknown> | undefined {
  return identity || !hasDefault ? sql`null` : undefined;
}

const LARGE: ReadonlySet<ValueType> = new Set(["text", "binary", "json", "any"]);

function cut(reference: Expression<unknown>, { type }: Column, most: number): CutValue | undefined {
  if (!LARGE.has(type)) return undefined;
  const isLong = sql`length(${reference}) > ${sql.lit(most)}`;
  return {
    beginning: sql`case when ${isLong} then substr(${reference}, 1, ${sql.lit(most)}) else ${reference} end`,
    length: sql`case when ${isLong} then length(${reference}) end`,
  };
}

/** Corresponds to {@link parameter}: both give the same value for the same meaning. */
const CANONICAL: { readonly [Type in ValueType]?: (reference: Expression<unknown>) => Expression<unknown> } =
  {
    datetime: canonicalDatetime,
    date: (reference) =>
      sql`case when ${reference} glob ${DATE} then substr(${reference}, 1, 10)
    else ${reference} end`,
    time: canonicalTime,
    any: canonicalAny,
  };

/**
 * Compares the stored days first: an index finds them, and only cells near the ends of the range are
 * converted. The ends are bare parameters, so that SQLite estimates after `ANALYZE` how many rows are between
 * them. The estimate may be wrong by a 24th of the table: without `unlikely` SQLite would read all rows in
 * the order of their key for some single values.
 */
function indexed(
  comparison: Expression<unknown>,
  reference: Expression<unknown>,
  { type }: Column,
  { from, to, isOne }: Parameters<NonNullable<SqlTraits["indexed"]>>[3],
): Expression<unknown> {
  if (type !== "date" && type !== "datetime") return comparison;
  const both = (least: typeof daysBefore, most: typeof daysBefore) =>
    sql.join([
      ...(from ? [sql`${reference} >= ${from(least)}`] : []),
      ...(to ? [sql`${reference} < ${to(most)}`] : []),
    ], sql` and `);
  const exact = sql`(${both(behind, daysBefore)} or ${comparison})`;
  return sql`(${both(daysBefore, behind)} and ${isOne ? sql`unlikely${exact}` : exact})`;
}

/** `strftime` moves a day by four at most: `2025-02-31 24:00` is `2025-03-04 00:00`. */
function daysBefore(time: unknown): string {
  const day = new Date(String(time).slice(0, 10));
  day.setUTCDate(day.getUTCDate() - 4);
  return day.toISOString().slice(0, 10);
}

/** The least text that is no time of the same day: any text may follow the day of a cell. */
function behind(time: unknown): string {
  const text = String(time);
  return text.slice(0, 9) + String.fromCharCode(text.charCodeAt(9) + 1);
}

function parameter(value: Value, column: Column): unknown {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "bigint") return column.type === "text" ? String(value) : integer(value);
  if (typeof value === "number") return column.type === "text" ? String(value) : value;
  if (typeof value !== "string") return value;
  if (column.type === "datetime") return storedDatetime(value);
  if (column.type === "time") return storedTime(value);
  return column.type === "any" ? numberOrText(value) : value;
}

/**
 * `YYYY-MM-DD HH:MM:SS`, then the fraction without trailing zeros, `Z` or a zero offset. `strftime`
 * completes short times; it does not get the fraction, which it would round to milliseconds. Text other than
 * dates, and numbers, stay unchanged.
 */
function canonicalDatetime(reference: Expression<unknown>): Expression<unknown> {
  const rest = sql`substr(${reference}, 20)`;
  const fraction =
    sql`case when ${rest} glob '*[+-]00:00' then substr(${rest}, 1, length(${rest}) - 6) else ${rest} end`;
  return sql`case when ${reference} glob ${DATE}
    then coalesce(strftime('%Y-%m-%d %H:%M:%S', substr(${reference}, 1, 19)) || rtrim(${fraction}, '0.Z'), ${reference})
    else ${reference} end`;
}

/** `HH:MM:SS`, then the fraction without trailing zeros. */
function canonicalTime(reference: Expression<unknown>): Expression<unknown> {
  return sql`case when ${reference} glob '[0-9][0-9]:[0-9][0-9]' then ${reference} || ':00'
    when ${reference} glob '[0-9][0-9]:[0-9][0-9]:[0-9][0-9].*' then rtrim(rtrim(${reference}, '0'), '.')
    else ${reference} end`;
}

/**
 * In a column without a type, values of different kinds are never equal, and a URL only has text.
 * So text that equals a number in SQLite's spelling counts as that number, on both sides: `5` finds
 * the integer, the real and the text.
 */
function canonicalAny(reference: Expression<unknown>): Expression<unknown> {
  return sql`case when typeof(${reference}) = 'text' and cast(cast(${reference} as numeric) as text) = ${reference}
    then cast(${reference} as numeric) else ${reference} end`;
}

/**
 * Beyond 64 bits there are only reals. The smallest integer equals a real, so the next real below it is used.
 */
function integer(value: bigint): bigint | number {
  if (BigInt.asIntN(64, value) === value) return value;
  const real = Number(value);
  return real === SMALLEST ? SMALLEST * (1 + Number.EPSILON) : real;
}

function numberOrText(value: string): string | number | bigint {
  if (!/^-?(0|[1-9]\d*)(\.\d*[1-9])?(e[+-]\d+)?$/.test(value) || value === "-0") return value;
  const exact = /[.e]/.test(value) ? undefined : BigInt(value);
  if (exact !== undefined && BigInt.asIntN(64, exact) === exact) return exact;
  const number = Number(value);
  return String(number) === value ? number : value;
}

/** An infinity for a column of numbers, in the spelling of JSON or of XML Schema. */
function special(text: string, { type }: Column): Value | undefined {
  if ((type !== "float" && type !== "decimal") || !/^-?(INF|Infinity)$/.test(text)) return undefined;
  return text.startsWith("-") ? -Infinity : Infinity;
}
