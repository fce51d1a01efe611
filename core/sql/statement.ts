/**
 * The parts of statements: tables and columns by their quoted names, slots that are bound later, order, and
 * pages. Pure.
 *
 * @module
 */

import {
  type AliasedRawBuilder,
  type Compilable,
  DummyDriver,
  type Expression,
  Kysely,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
} from "kysely";
import type { Column } from "@/core/catalog.ts";
import type { Table } from "@/core/schema/table.ts";
import type { SqlTraits, StatementText } from "@/plugins/contract.ts";

/** Any table with any columns: names come from the schema at run time. */
export type Tables = Record<string, Record<string, unknown>>;
/** A SELECT that is being built. */
export type Select = SelectQueryBuilder<Tables, string, Record<string, unknown>>;

/** The slot of a parameter, or the slot of the value that it is made from. */
export type Source = number | { readonly slot: number; readonly make: (value: unknown) => unknown };

/** A statement and the sources of its parameters. */
export interface Statement extends StatementText {
  /** The source of each parameter; {@link LIMIT_SLOT} and {@link OFFSET_SLOT} are the slots of the page. */
  readonly slots: readonly Source[];
}

/** The slot of the page's limit. */
export const LIMIT_SLOT = -1;
/** The slot of the page's offset. */
export const OFFSET_SLOT = -2;

/** A page of rows. */
export interface RowPage {
  readonly limit: number;
  readonly offset: number;
}

/** The parameters of a statement: the values of its slots, and its page. */
export function bindSlots(
  slots: readonly Source[],
  values: readonly unknown[],
  page: RowPage,
): readonly unknown[] {
  return bindEach(slots, (slot) => {
    return slot === LIMIT_SLOT ? page.limit : slot === OFFSET_SLOT ? page.offset : values[slot];
  });
}

/** The parameters of a statement whose slots have these values. */
export function bindEach(
  slots: readonly Source[],
  valueOf: (slot: number) => unknown,
): readonly unknown[] {
  return slots.map((source) => {
    return typeof source === "number" ? valueOf(source) : source.make(valueOf(source.slot));
  });
}

/** The type of a counted number of rows. */
export const INTEGER = { type: "integer", declaredType: "INTEGER" } as const;

/** Builds and compiles SQL for one engine; runs none. */
export function kyselyOf(traits: SqlTraits): Kysely<Tables> {
  return new Kysely({
    dialect: {
      createAdapter: () => traits.createAdapter(),
      createQueryCompiler: () => traits.createQueryCompiler(),
      createDriver: () => new DummyDriver(),
      createIntrospector: () => {
        throw new Error("Catalogs are read by the dialect plugin");
      },
    },
  });
}

/** Marks a bound value in a query while it is compiled. */
class Slot {
  constructor(readonly source: Source) {}
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
export function slot(source: Source): RawBuilder<bigint> {
  return sql.val(new Slot(source)) as unknown as RawBuilder<bigint>;
}

/** A table by its quoted name. */
export function tableName({ identifier }: Table): RawBuilder<unknown> {
  return sql.id(...identifier);
}

/** The requested page, at the end of a query; with `fetch` the query must have an order. */
export function pageClause({ paging, plansLimits }: SqlTraits): RawBuilder<unknown> {
  const [limit, offset] = [slot(LIMIT_SLOT), slot(OFFSET_SLOT)];
  if (paging === "fetch") return sql`offset ${offset} rows fetch next ${limit} rows only`;
  return plansLimits
    ? sql`limit (${limit} | 0) offset (${offset} | 0)`
    : sql`limit ${limit} offset ${offset}`;
}

/** An item of ORDER BY that puts NULL first in ascending order. */
export function orderItem(
  compared: Expression<unknown>,
  { descending, nullable }: { readonly descending: boolean; readonly nullable: boolean },
  { nullsFirst = true }: SqlTraits,
): RawBuilder<unknown> {
  const direction = descending ? "desc" : "asc";
  const nulls = nullable && !nullsFirst ? ` nulls ${descending ? "last" : "first"}` : "";
  return sql`${compared} ${sql.raw(direction + nulls)}`;
}

/** Compiles SQL that is not built as a query. */
export function compileRaw(
  statement: RawBuilder<unknown>,
  kysely: Kysely<Tables>,
  columns: StatementText["columns"],
): Statement {
  return compile({ compile: () => statement.compile(kysely) }, columns);
}

/** Compiles a query with these columns to a statement. Every value in it must be a {@link slot}. */
export function compile(query: Compilable, columns: StatementText["columns"]): Statement {
  const { sql, parameters } = query.compile();
  const slots = parameters.map((parameter) => {
    if (parameter instanceof Slot) return parameter.source;
    throw new Error("A statement has a value that is no slot");
  });
  const limitAt = slots.indexOf(LIMIT_SLOT);
  const offsetAt = slots.indexOf(OFFSET_SLOT);
  return { sql, slots, columns, ...(limitAt < 0 ? {} : { limitAt }), ...(offsetAt < 0 ? {} : { offsetAt }) };
}

/** A name that no column has, whether case counts or not. */
export function nameBeside(columns: readonly Column[]): string {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  let name = "row count";
  while (taken.has(name)) name += "s";
  return name;
}
