/**
 * Walks to SQL through Kysely: names only from the schema, values only as slots that are bound later. Pure; a
 * statement depends on a walk's shape only and is kept for all requests of that shape.
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
import type { SortKey } from "./parameters.ts";
import type { Column } from "./model.ts";
import type { Relation, Table } from "./schema.ts";
import { type Condition, type Filter, LIKE_ESCAPE, type Step, type Walk } from "./walk.ts";
import type { SqlTraits, StatementText } from "@/plugins/contract.ts";

/** Any table with any columns: names come from the schema at run time. */
type Tables = Record<string, Record<string, unknown>>;
type Select = SelectQueryBuilder<Tables, string, Record<string, unknown>>;

/** A statement and where its parameters come from. */
export interface Statement extends StatementText {
  /** For each parameter its slot; {@link LIMIT_SLOT} and {@link OFFSET_SLOT} are the page's. */
  readonly slots: readonly number[];
}

export const LIMIT_SLOT = -1;
export const OFFSET_SLOT = -2;

/** Stands for a value in a query while it is compiled. */
class Slot {
  constructor(readonly number: number) {}
}

/** What is selected of a walk. */
export interface Selection {
  readonly distinct: boolean;
  readonly sort: readonly (SortKey & { readonly position: number })[];
  /** False for single records: they need neither order nor limit. */
  readonly paged: boolean;
}

/** Builds the statements of one database's SQL. */
export class StatementBuilder {
  readonly #kysely: Kysely<Tables>;
  readonly #traits: SqlTraits;

  constructor(traits: SqlTraits) {
    this.#traits = traits;
    this.#kysely = new Kysely<Tables>({
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

  /** The rows of a walk. */
  rows(walk: Walk, selection: Selection): Statement {
    const positions = walk.columns ?? allPositions(walk.last.table);
    const query = this.#page(walk, selection);
    return compile(query, positions.map((position) => columnAt(walk.last.table, position)));
  }

  /** How many rows a walk has, after `distinct`, before limit and offset. */
  count(walk: Walk, selection: Selection): Statement {
    const rows = this.#select(walk, { ...selection, sort: [], paged: false });
    const query = this.#kysely.selectFrom(rows.as("counted")).select((eb) => eb.fn.countAll().as("count"));
    return compile(query, [{ type: "integer", declaredType: "INTEGER" }]);
  }

  /** Whether the record exists that a walk's steps up to `step` lead to. */
  exists(steps: readonly Step[]): Statement {
    const query = this.#from(steps).select(sql`1`.as("found"));
    return compile(query, [{ type: "integer", declaredType: "INTEGER" }]);
  }

  /**
   * The rows related to a walk's page over a chain of relations, each row once, in key order. The page is a subquery,
   * so it is one statement however many records there are.
   */
  related(walk: Walk, selection: Selection, chain: readonly Relation[]): Statement {
    const last = chain.at(-1);
    if (!last) throw new Error("A chain of relations has at least one");
    let parent: Select = this.#page({ ...walk, columns: allPositions(walk.last.table) }, selection);
    let owner = walk.last.table;
    for (const relation of chain) {
      parent = this.#children(parent, owner, relation);
      owner = relation.table;
    }
    const query = this.#order(parent, keyOrder(last.table), last.table);
    return compile(query, last.table.columns);
  }

  #children(parent: Select, owner: Table, relation: Relation): Select {
    const { table } = relation;
    return this.#all(table)
      .where(this.#linked(relation, this.#kysely.selectFrom(parent.as("t")), owner))
      .select(table.columns.map(selected));
  }

  /** Every row of a table, under the alias `t`; a subquery's `t` hides the one around it. */
  #all(table: Table): Select {
    return this.#kysely.selectFrom(sql.id(table.name).as("t"));
  }

  #page(walk: Walk, selection: Selection): Select {
    const query = this.#select(walk, selection);
    if (!selection.paged) return query;
    return query.limit(slot(LIMIT_SLOT)).offset(slot(OFFSET_SLOT));
  }

  #select(walk: Walk, { distinct, sort, paged }: Selection): Select {
    const { table } = walk.last;
    const positions = walk.columns ?? allPositions(table);
    const base = this.#from(walk.steps).select(
      positions.map((position) => selected(columnAt(table, position))),
    );
    const query = distinct ? base.distinct() : base;
    return paged ? this.#order(query, orderOf(walk, { distinct, sort }), table) : query;
  }

  #order(query: Select, keys: readonly OrderKey[], table: Table): Select {
    return keys.reduce((ordered, { position, descending }) => {
      return ordered.orderBy(reference(columnAt(table, position)), descending ? "desc" : "asc");
    }, query);
  }

  /** The last step's table under the alias `t`, with every filter of the path applied. */
  #from(steps: readonly Step[]): Select {
    const last = steps.at(-1);
    if (!last) throw new Error("A path has at least its table");
    const filtered = this.#filter(this.#all(last.table), last);
    const { via } = last;
    const before = steps.slice(0, -1);
    const owner = before.at(-1)?.table;
    if (!via || !owner) return filtered;
    return filtered.where(this.#linked(via, this.#from(before), owner));
  }

  #filter(query: Select, { table, filters }: Step): Select {
    return filters.reduce((filtered, filter) => filtered.where(this.#condition(filter, table)), query);
  }

  /**
   * Rows of `relation.table` that some row of `owners` is related to. One column: `IN`, which every engine can drive
   * from either side. Several: `EXISTS`, because row values in `IN` are not standard.
   */
  #linked(relation: Relation, owners: Select, owner: Table): Expression<SqlBool> {
    const pairs = relation.local.map((local, index) => ({
      local: columnAt(owner, local),
      foreign: columnAt(relation.table, relation.foreign[index] ?? -1),
    }));
    const [only, ...others] = pairs;
    if (only && others.length === 0) {
      return sql<SqlBool>`${reference(only.foreign)} in (${owners.select(selected(only.local))})`;
    }
    const keys = owners.select(pairs.map(({ local }) => selected(local))).as("o");
    const matches = pairs.map(({ local, foreign }) => {
      return sql<SqlBool>`${sql.id("o", local.name)} = ${reference(foreign)}`;
    });
    return sql<SqlBool>`exists (select 1 from ${keys} where ${sql.join(matches, sql` and `)})`;
  }

  #condition({ column, negated, conditions }: Filter, table: Table): Expression<SqlBool> {
    const description = columnAt(table, column);
    const any = sql.join(conditions.map((condition) => this.#single(condition, description)), sql` or `);
    return negated ? sql<SqlBool>`not (${any})` : sql<SqlBool>`(${any})`;
  }

  #single(condition: Condition, column: Column): RawBuilder<unknown> {
    const plain = reference(column);
    const compared = this.#traits.comparable?.(plain, column) ?? plain;
    switch (condition.kind) {
      case "null":
        return sql`${plain} is null`;
      case "in":
        return condition.slots.length === 1
          ? sql`${compared} = ${slot(condition.slots[0] ?? 0)}`
          : sql`${compared} in (${sql.join(condition.slots.map(slot))})`;
      case "like":
        return sql`${plain} like ${slot(condition.slot)} escape ${sql.lit(LIKE_ESCAPE)}`;
      case "range":
        return range(compared, condition);
    }
  }
}

/** Each part is quoted on its own: a column may be called `a.b`. */
function reference(column: Column): RawBuilder<unknown> {
  return sql.id("t", column.name);
}

function selected(column: Column): AliasedRawBuilder<unknown, string> {
  return sql.id("t", column.name).as(column.name);
}

function range(
  compared: Expression<unknown>,
  { from, to }: Extract<Condition, { kind: "range" }>,
): RawBuilder<unknown> {
  if (from === undefined) return sql`${compared} <= ${slot(to ?? 0)}`;
  if (to === undefined) return sql`${compared} >= ${slot(from)}`;
  return sql`${compared} between ${slot(from)} and ${slot(to)}`;
}

/** A bound parameter; the compiler hands the marker through and {@link compile} finds its place. */
function slot(number: number): RawBuilder<bigint> {
  return sql.val(new Slot(number)) as unknown as RawBuilder<bigint>;
}

interface OrderKey {
  readonly position: number;
  readonly descending: boolean;
}

/** The asked order, then the key so that pages are stable; distinct rows can only be ordered by what is selected. */
function orderOf(walk: Walk, { distinct, sort }: Pick<Selection, "distinct" | "sort">): readonly OrderKey[] {
  const { table } = walk.last;
  const natural = distinct && (walk.columns !== undefined || table.primaryKey.length === 0)
    ? (walk.columns ?? allPositions(table)).map((position) => ({ position, descending: false }))
    : keyOrder(table);
  const sorted = new Set(sort.map(({ position }) => position));
  return [...sort, ...natural.filter(({ position }) => !sorted.has(position))];
}

function keyOrder(table: Table): readonly OrderKey[] {
  return table.primaryKey.map((position) => ({ position, descending: false }));
}

function compile(query: Compilable, columns: StatementText["columns"]): Statement {
  const { sql, parameters } = query.compile();
  const slots = parameters.map((parameter) => {
    if (parameter instanceof Slot) return parameter.number;
    throw new Error("A statement has a value that is no slot");
  });
  const limitAt = slots.indexOf(LIMIT_SLOT);
  const offsetAt = slots.indexOf(OFFSET_SLOT);
  return { sql, slots, columns, ...(limitAt < 0 ? {} : { limitAt }), ...(offsetAt < 0 ? {} : { offsetAt }) };
}

function allPositions(table: Table): readonly number[] {
  return table.columns.map((_, position) => position);
}

function columnAt(table: Table, position: number): Column {
  const column = table.columns[position];
  if (!column) throw new Error(`Table ${table.name} has no column at ${position}`);
  return column;
}
