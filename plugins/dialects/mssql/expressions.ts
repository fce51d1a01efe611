/**
 * The expressions that replace a column in a statement.
 *
 * @module
 */

import { type Expression, sql } from "kysely";
import type { Column, CutValue } from "@/plugins/contract.ts";
import { parseType } from "@/plugins/kit/type_detail.ts";

type Write = (reference: Expression<unknown>) => Expression<unknown>;

function to(type: string): Write {
  return (column) => sql`convert(${sql.raw(type)}, ${column})`;
}

/**
 * The driver rounds exact numbers to 64-bit reals and drops the offset of a
 * time, so these are selected as text.
 */
const SELECTED: Readonly<Record<string, Write>> = {
  decimal: to("varchar(41)"),
  numeric: to("varchar(41)"),
  // Money as text would have only two of its decimals.
  money: (column) => to("varchar(41)")(to("decimal(19,4)")(column)),
  smallmoney: (column) => to("varchar(41)")(to("decimal(10,4)")(column)),
  datetimeoffset: (column) => sql`convert(varchar(34), ${column}, 121)`,
  xml: to("nvarchar(max)"),
  json: to("nvarchar(max)"),
};

const COMPARED: Readonly<Record<string, Write>> = {
  text: to("nvarchar(max)"),
  ntext: to("nvarchar(max)"),
  xml: to("nvarchar(max)"),
  json: to("nvarchar(max)"),
  image: to("varbinary(max)"),
  geography: to("varbinary(max)"),
  geometry: to("varbinary(max)"),
};

const TEXTUAL: Readonly<Record<string, Write>> = {
  ...COMPARED,
  uniqueidentifier: to("varchar(36)"),
  bigint: to("varchar(20)"),
  int: to("varchar(20)"),
  smallint: to("varchar(20)"),
  tinyint: to("varchar(20)"),
};

type Rewrite = (reference: Expression<unknown>, column: Column) => Expression<unknown>;

function by(table: Readonly<Record<string, Write>>): Rewrite {
  return (reference, { declaredType }) => table[parseType(declaredType).base]?.(reference) ?? reference;
}

/** The column in a form that the driver returns completely. */
export const selectable: Rewrite = by(SELECTED);

const LARGE: ReadonlySet<string> = new Set(["varchar(max)", "nvarchar(max)", "varbinary(max)", "xml"]);

/** The column for pages. `len` does not count spaces at the end. */
export function cut(reference: Expression<unknown>, column: Column, most: number): CutValue | undefined {
  if (!LARGE.has(column.declaredType.toLowerCase())) return undefined;
  const value = selectable(reference, column);
  const isLong = sql`datalength(${value}) > ${sql.lit(most)}`;
  const length = column.type === "binary" ? sql`datalength(${value})` : sql`len(concat(${value}, '.')) - 1`;
  return {
    beginning: sql`case when ${isLong} then substring(${value}, 1, ${sql.lit(most)}) else ${value} end`,
    length: sql`case when ${isLong} then cast(${length} as int) end`,
  };
}

/** The column in a form that the server can compare. */
export const comparable: Rewrite = by(COMPARED);

/** The column as text, for LIKE. */
export const textual: Rewrite = by(TEXTUAL);

/** Style 23 is `yyyy-mm-dd`; a moment with an offset keeps its own date. */
export function dayText(reference: Expression<unknown>): Expression<unknown> {
  return sql`convert(varchar(10), ${reference}, 23)`;
}

/** A sum has the type of its column, which it may not fit; the driver would round it. */
export function summed(compared: Expression<unknown>, { type, declaredType }: Column): Expression<unknown> {
  if (type === "float") return sql`sum(convert(float, ${compared}))`;
  const { base } = parseType(declaredType);
  const wide = type === "integer"
    ? to("decimal(38,0)")
    : /money$/.test(base)
    ? to("decimal(38,4)")
    : undefined;
  return sql`convert(varchar(41), sum(${wide?.(compared) ?? compared}))`;
}
