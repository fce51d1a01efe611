/**
 * The parts of statements: tables and columns by their quoted names, and slots that are bound later. Pure.
 *
 * @module
 */

import {
  type AliasedRawBuilder,
  type Compilable,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
} from "kysely";
import type { Column } from "@/core/model.ts";
import type { Table } from "@/core/schema/table.ts";
import type { StatementText } from "@/plugins/contract.ts";

/** Any table with any columns: names come from the schema at run time. */
export type Tables = Record<string, Record<string, unknown>>;
/** A SELECT that is being built. */
export type Select = SelectQueryBuilder<Tables, string, Record<string, unknown>>;

/** A statement and the sources of its parameters. */
export interface Statement extends StatementText {
  /** The slot of each parameter; {@link LIMIT_SLOT} and {@link OFFSET_SLOT} are those of the page. */
  readonly slots: readonly number[];
}

/** The slot of the page's limit. */
export const LIMIT_SLOT = -1;
/** The slot of the page's offset. */
export const OFFSET_SLOT = -2;

/** Marks a bound value in a query while it is compiled. */
class Slot {
  constructor(readonly number: number) {}
}

/** Quotes each part separately: a column may have the name `a.b`. */
export function reference(column: Column, table = "t"): RawBuilder<unknown> {
  return sql.id(table, column.name);
}

/** A column of table `t` in a SELECT list, under its own name. */
export function selected(column: Column): AliasedRawBuilder<unknown, string> {
  return sql.id("t", column.name).as(column.name);
}

/** A bound parameter; the compiler passes the marker through and {@link compile} finds its position. */
export function slot(number: number): RawBuilder<bigint> {
  return sql.val(new Slot(number)) as unknown as RawBuilder<bigint>;
}

/** A table by its quoted name. */
export function tableName({ identifier }: Table): RawBuilder<unknown> {
  return sql.id(...identifier);
}

/** Compiles a query with these columns to a statement. Every value in it must be a {@link slot}. */
export function compile(query: Compilable, columns: StatementText["columns"]): Statement {
  const { sql, parameters } = query.compile();
  const slots = parameters.map((parameter) => {
    if (parameter instanceof Slot) return parameter.number;
    throw new Error("A statement has a value that is no slot");
  });
  const limitAt = slots.indexOf(LIMIT_SLOT);
  const offsetAt = slots.indexOf(OFFSET_SLOT);
  return {
    sql,
    slots,
    columns,
    ...(limitAt < 0 ? {} : { limitAt }),
    ...(offsetAt < 0 ? {} : { offsetAt }),
  };
}

/** The positions of all columns, in their order. */
export function allPositions(table: Table): readonly number[] {
  return table.columns.map((_, position) => position);
}

/** Throws for a position that does not exist, which is a bug: positions come from the same table. */
export function columnAt(table: Table, position: number): Column {
  const column = table.columns[position];
  if (!column) throw new Error(`Table ${table.name} has no column at ${position}`);
  return column;
}
