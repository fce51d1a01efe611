/**
 * The expressions that replace a column in a statement.
 *
 * @module
 */

import { type Expression, sql } from "kysely";
import type { Column } from "@/plugins/contract.ts";
import { parseType } from "./column_types.ts";

type Write = (reference: Expression<unknown>) => Expression<unknown>;

/** The driver rounds exact numbers to 64-bit reals and drops the offset of a time, so these are selected as text. */
const SELECTED: ReadonlyMap<string, Write> = new Map<string, Write>([
  ["decimal", (column) => sql`convert(varchar(41), ${column})`],
  ["numeric", (column) => sql`convert(varchar(41), ${column})`],
  // Money as text would have only two of its decimals.
  ["money", (column) => sql`convert(varchar(41), convert(decimal(19,4), ${column}))`],
  ["smallmoney", (column) => sql`convert(varchar(41), convert(decimal(10,4), ${column}))`],
  ["datetimeoffset", (column) => sql`convert(varchar(34), ${column}, 121)`],
  ["xml", (column) => sql`convert(nvarchar(max), ${column})`],
  ["json", (column) => sql`convert(nvarchar(max), ${column})`],
]);

/** Types that the server cannot compare. */
const COMPARED: ReadonlyMap<string, Write> = new Map<string, Write>([
  ["text", (column) => sql`convert(nvarchar(max), ${column})`],
  ["ntext", (column) => sql`convert(nvarchar(max), ${column})`],
  ["xml", (column) => sql`convert(nvarchar(max), ${column})`],
  ["json", (column) => sql`convert(nvarchar(max), ${column})`],
  ["image", (column) => sql`convert(varbinary(max), ${column})`],
]);

/** Types that LIKE does not support. */
const TEXTUAL: ReadonlyMap<string, Write> = new Map<string, Write>([
  ...COMPARED,
  ["uniqueidentifier", (column) => sql`convert(varchar(36), ${column})`],
  ["bigint", (column) => sql`convert(varchar(20), ${column})`],
  ["int", (column) => sql`convert(varchar(20), ${column})`],
  ["smallint", (column) => sql`convert(varchar(20), ${column})`],
  ["tinyint", (column) => sql`convert(varchar(20), ${column})`],
]);

/** The column in a form that the driver returns completely. */
export function selectable(reference: Expression<unknown>, column: Column): Expression<unknown> {
  return write(SELECTED, reference, column);
}

/** The column in a form that the server can compare. */
export function comparable(reference: Expression<unknown>, column: Column): Expression<unknown> {
  return write(COMPARED, reference, column);
}

/** The column as text, for LIKE. */
export function textual(reference: Expression<unknown>, column: Column): Expression<unknown> {
  return write(TEXTUAL, reference, column);
}

function write(
  table: ReadonlyMap<string, Write>,
  reference: Expression<unknown>,
  { declaredType }: Column,
): Expression<unknown> {
  return table.get(parseType(declaredType).base)?.(reference) ?? reference;
}
