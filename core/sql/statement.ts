/**
 * The parts of statements: tables and columns by their quoted names, slots that are bound later, order,
 * pages, and the rows that a path selects: filters, and relations as subqueries. Pure.
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
  type SqlBool,
} from "kysely";
import type { Column } from "@/core/catalog.ts";
import { type Condition, type Filter, LIKE_ESCAPE } from "@/core/schema/read_filters.ts";
import type { Relation, Table } from "@/core/schema/table.ts";
import type { Step } from "@/core/schema/walk_path.ts";
import type { SqlTraits, StatementText } from "@/plugins/contract.ts";

/** Any table with any columns: names come from the schema at run time. */
type Tables = Record<string, Record<string, unknown>>;
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

/** The requested page, at the end of a query; with `fetch` the query must have an order. */
export function pageOf({ paging }: SqlTraits): RawBuilder<unknown> {
  return paging === "fetch"
    ? sql`offset ${slot(OFFSET_SLOT)} rows fetch next ${slot(LIMIT_SLOT)} rows only`
    : sql`limit ${slot(LIMIT_SLOT)} offset ${slot(OFFSET_SLOT)}`;
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

/** The columns at these positions, in their order. */
export function columnsAt(table: Table, positions: readonly number[]): readonly Column[] {
  return positions.map((position) => columnAt(table, position));
}

/** The name of the rows in conditions; the target of an UPDATE or DELETE has its table's name. */
interface Named {
  readonly name: string;
  readonly isTarget: boolean;
}

const READING: Named = { name: "t", isTarget: false };

/**
 * Builds conditions and subqueries in one engine's SQL. Tables have the alias
 * `t`; a subquery hides the outer one.
 */
export class PathSql {
  readonly kysely: Kysely<Tables>;
  readonly traits: SqlTraits;

  constructor(traits: SqlTraits) {
    this.traits = traits;
    this.kysely = kyselyOf(traits);
  }

  /** All rows of a table, under the alias `t`. */
  all(table: Table): Select {
    return this.kysely.selectFrom(tableName(table).as("t"));
  }

  /** The last step's table under the alias `t`, with every filter of the path applied. */
  from(steps: readonly Step[]): Select {
    return this.conditions(steps).reduce(
      (query, condition) => query.where(condition),
      this.all(lastOf(steps).table),
    );
  }

  /** The conditions on the rows of the last step: its filters, and that the step before leads to them. */
  conditions(steps: readonly Step[], of: Named = READING): readonly Expression<SqlBool>[] {
    const last = lastOf(steps);
    const before = steps.slice(0, -1);
    const owner = before.at(-1)?.table;
    const linked = last.via && owner ? [this.linked(last.via, this.from(before), owner, of)] : [];
    return [...last.filters.map((filter) => this.#condition(filter, last.table, of.name)), ...linked];
  }

  /**
   * Rows of `relation.table` that are related to a row of `owners`. One column: `IN`, which every engine can
   * drive from either side. Several: `EXISTS`, because row values in `IN` are not standard.
   */
  linked(relation: Relation, owners: Select, owner: Table, of: Named = READING): Expression<SqlBool> {
    const pairs = relation.local.map((local, index) => ({
      local: columnAt(owner, local),
      foreign: columnAt(relation.table, relation.foreign[index] ?? -1),
    }));
    const materialized = of.isTarget && this.traits.materializesTarget === true;
    const keys = owners.select(pairs.map(({ local }) => selected(local)));
    const [only, ...others] = pairs;
    if (only && others.length === 0) {
      // DISTINCT prevents the engine from merging the derived table into the outer statement.
      const values = materialized
        ? this.kysely.selectFrom(keys.distinct().as("t")).select(selected(only.local))
        : keys;
      // Kysely writes the parentheses; a second pair makes some engines read a single value.
      return sql<SqlBool>`${reference(only.foreign, of.name)} in ${values}`;
    }
    // Names ignore case, and a table may have the name of the alias.
    const alias = of.name.toLowerCase() === "o" ? "p" : "o";
    const matches = pairs.map(({ local, foreign }) => {
      return sql<SqlBool>`${sql.id(alias, local.name)} = ${reference(foreign, of.name)}`;
    });
    const rows = (materialized ? keys.distinct() : keys).as(alias);
    return sql<SqlBool>`exists (select 1 from ${rows} where ${sql.join(matches, sql` and `)})`;
  }

  /** The expression that selects a column with all its digits, under the column's name. */
  delivered(column: Column, of = READING.name): AliasedRawBuilder<unknown, string> {
    const plain = reference(column, of);
    return sql`${this.traits.selectable?.(plain, column) ?? plain}`.as(column.name);
  }

  #condition({ column, negated, conditions }: Filter, table: Table, of: string): Expression<SqlBool> {
    const description = columnAt(table, column);
    const any = sql.join(conditions.map((condition) => this.#single(condition, description, of)), sql` or `);
    return negated ? sql<SqlBool>`not (${any})` : sql<SqlBool>`(${any})`;
  }

  #single(condition: Condition, column: Column, of: string): RawBuilder<unknown> {
    const plain = reference(column, of);
    const compared = this.traits.comparable?.(plain, column) ?? plain;
    switch (condition.kind) {
      case "null":
        return sql`${plain} is null`;
      case "in":
        return condition.slots.length === 1
          ? sql`${compared} = ${slot(condition.slots[0] ?? 0)}`
          : sql`${compared} in (${sql.join(condition.slots.map(slot))})`;
      case "cells":
        return sql`${plain} in (${sql.join(condition.slots.map(slot))})`;
      case "like":
        return sql`${this.traits.textual?.(plain, column) ?? plain} like ${slot(condition.slot)} escape ${
          sql.lit(LIKE_ESCAPE)
        }`;
      case "range":
        return range(compared, condition, this.traits.between ?? true);
    }
  }
}

/** The step that a path leads to. */
export function lastOf(steps: readonly Step[]): Step {
  const last = steps.at(-1);
  if (!last) throw new Error("A path has at least its table");
  return last;
}

function range(
  compared: Expression<unknown>,
  { from, to }: Extract<Condition, { kind: "range" }>,
  between: boolean,
): RawBuilder<unknown> {
  const upper = sql`${compared} <= ${slot(to ?? 0)}`;
  if (from === undefined) return upper;
  const lower = sql`${compared} >= ${slot(from)}`;
  if (to === undefined) return lower;
  if (!between) return sql`(${lower} and ${upper})`;
  return sql`${compared} between ${slot(from)} and ${slot(to)}`;
}
