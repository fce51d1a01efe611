/**
 * Compiles walks to SQL through Kysely: names come only from the schema, values only as slots that are bound later.
 * Pure; a statement depends only on the walk's shape and is cached for all requests of that shape.
 *
 * @module
 */

import { type RawBuilder, sql } from "kysely";
import type { Relation, Table } from "@/core/schema/table.ts";
import type { Step, Walk } from "@/core/schema/walk_path.ts";
import { columnsOf, isDistinct, keyOrder, type OrderKey, orderOf, type Selection } from "./selection.ts";
import {
  allPositions,
  columnAt,
  compile,
  compileRaw,
  INTEGER,
  lastOf,
  orderItem,
  pageOf,
  type PathSql,
  reference,
  type Select,
  selected,
  slot,
  type Statement,
  tableName,
} from "./statement.ts";
import type { Column, Insertion, SqlTraits } from "@/plugins/contract.ts";

/** Largest number of related rows of one relation in one answer; one more is read to detect an excess. */
export const MAX_RELATED = 20_000;

/** The type that drivers return as it is stored. */
const ANY = { type: "any", declaredType: "" } as const;
/** Number of rows in which the spelling of a column is searched. */
const SAMPLE = 100;

/** The columns of related rows, and how many of them are read. */
export interface RelatedOptions {
  readonly columns?: readonly number[];
  readonly most?: number;
}

interface Filler {
  readonly column: Column;
  readonly value: RawBuilder<unknown>;
}

/** Builds the statements that read and write. */
export class WalkStatements {
  readonly #path: PathSql;

  constructor(path: PathSql) {
    this.#path = path;
  }

  /** The rows of a walk. */
  rows(walk: Walk, selection: Selection): Statement {
    const columns = columnsOf(walk);
    const ordered = this.#ordered(this.#delivered(walk, selection), walk, selection);
    return compile(this.#paged(ordered, walk, selection), columns);
  }

  /** The record of a walk, or `most` records, locked until the transaction ends. */
  record(walk: Walk, most?: number): Statement {
    const all = this.#delivered(walk, { distinct: false, sort: [], paged: false });
    const query = most === undefined ? all : this.#first(all, most);
    // A row of a view may not be a row that can be locked.
    const isLocked = this.#path.traits.forUpdate === true && walk.last.table.kind === "table";
    return compile(isLocked ? query.forUpdate() : query, columnsOf(walk));
  }

  /** The number of rows of a walk, after `distinct`, before limit and offset. */
  count(walk: Walk, selection: Selection): Statement {
    const counted = isDistinct(walk, selection)
      ? this.#path.kysely.selectFrom(this.#plain(walk, selection).as("t"))
      : this.#path.from(walk.steps);
    return compile(counted.select(sql`count(*)`.as("count")), [INTEGER]);
  }

  /** Like {@link count}, but stops counting one beyond `most`. */
  countUpTo(most: number, walk: Walk, selection: Selection): Statement {
    const rows = isDistinct(walk, selection)
      ? this.#plain(walk, selection)
      : this.#path.from(walk.steps).select(sql`1`.as("one"));
    const some = this.#path.kysely.selectFrom(this.#first(rows, most + 1).as("t"));
    return compile(some.select(sql`count(*)`.as("count")), [INTEGER]);
  }

  /** The values of the path's last table that a related record takes its foreign key from. */
  values(steps: readonly Step[], positions: readonly number[]): Statement {
    const { table } = lastOf(steps);
    const columns = positions.map((position) => columnAt(table, position));
    const query = this.#path.from(steps).select(columns.map((column) => this.#path.delivered(column)));
    return compile(this.#first(query.distinct(), 2), columns);
  }

  /** The stored cells of some rows of a path. */
  cells(steps: readonly Step[], positions: readonly number[]): Statement {
    const { table } = lastOf(steps);
    const query = this.#path.from(steps).select(
      positions.map((position) => selected(columnAt(table, position))),
    );
    return compile(this.#first(query, SAMPLE), positions.map(() => ANY));
  }

  /** Whether these steps of a walk select a record. */
  exists(steps: readonly Step[]): Statement {
    const query = this.#path.from(steps).select(sql`1`.as("found"));
    return compile(query, [INTEGER]);
  }

  /**
   * The rows related to a walk's page over a chain of relations, each row once, in key order. `positions`: the columns to
   * read. Default: all. `most`: the number of rows. Default: one more than an answer may have.
   */
  related(
    walk: Walk,
    selection: Selection,
    chain: readonly Relation[],
    { columns: positions, most = MAX_RELATED + 1 }: RelatedOptions = {},
  ): Statement {
    const last = chain.at(-1);
    if (!last) throw new Error("A chain of relations has at least one");
    let parent = this.#page({ ...walk, columns: allPositions(walk.last.table) }, selection);
    let owner = walk.last.table;
    for (const relation of chain.slice(0, -1)) {
      parent = this.#children(parent, owner, relation).select(relation.table.columns.map(selected));
      owner = relation.table;
    }
    const columns = (positions ?? allPositions(last.table)).map((position) => columnAt(last.table, position));
    const query = this.#children(parent, owner, last)
      .select(columns.map((column) => this.#path.delivered(column)));
    return compile(
      this.#first(this.#order(query, keyOrder(last.table), last.table), most),
      columns,
    );
  }

  /**
   * The foreign keys of rows that are related to a walk's page, each with the number of its rows. Counts no further than
   * one row beyond `most` in all.
   */
  relatedCounts(walk: Walk, selection: Selection, relation: Relation, most: number): Statement {
    const { table, foreign } = relation;
    const parent = this.#page({ ...walk, columns: allPositions(walk.last.table) }, selection);
    const keys = foreign.map((position) => columnAt(table, position));
    const related = this.#first(
      this.#children(parent, walk.last.table, relation).select(keys.map(selected)),
      most + 1,
    );
    const groups = keys.reduce(
      (query, key) => query.groupBy(reference(key)),
      this.#path.kysely.selectFrom(related.as("t")).select(keys.map(selected))
        .select(sql<number>`count(*)`.as("row count")),
    );
    const counted = this.#path.kysely.selectFrom(groups.as("t"))
      .select([...keys.map((key) => this.#path.delivered(key)), sql.id("t", "row count").as("row count")]);
    return compile(counted, [...keys, INTEGER]);
  }

  /** Inserts records in one statement; its slots are the values of `positions`, row by row. Returns the keys. */
  insert(table: Table, positions: readonly number[], count: number): Statement {
    const { traits } = this.#path;
    const filler = positions.length === 0 && count > 1 ? fillerOf(table, traits) : undefined;
    const keys = table.primaryKey.map((position) => columnAt(table, position));
    const insertion = {
      table: tableName(table),
      columns: filler ? [filler.column] : positions.map((position) => columnAt(table, position)),
      rows: Array.from({ length: count }, (_, row) => {
        if (filler) return [filler.value];
        return positions.map((_, column) => slot(row * positions.length + column));
      }),
      keys,
    };
    return compileRaw(traits.insert?.(insertion) ?? insertReturning(insertion), this.#path.kysely, keys);
  }

  /** Changes `positions` of every record of a walk; their slots follow those of the walk. */
  update(walk: Walk, positions: readonly number[]): Statement {
    const { table } = walk.last;
    const assignments = positions.map((position, index) => {
      return sql`${sql.id(columnAt(table, position).name)} = ${slot(walk.values.length + index)}`;
    });
    return this.#change(sql`update ${tableName(table)} set ${sql.join(assignments)}`, walk);
  }

  /** Deletes every record of a walk. */
  delete(walk: Walk): Statement {
    return this.#change(sql`delete from ${tableName(walk.last.table)}`, walk);
  }

  #children(parent: Select, owner: Table, relation: Relation): Select {
    return this.#path.all(relation.table)
      .where(this.#path.linked(relation, this.#path.kysely.selectFrom(parent.as("t")), owner));
  }

  /** A walk's page with unconverted columns, for use in an outer statement. */
  #page(walk: Walk, selection: Selection): Select {
    return this.#paged(this.#ordered(this.#plain(walk, selection), walk, selection), walk, selection);
  }

  #plain(walk: Walk, selection: Selection): Select {
    const base = this.#path.from(walk.steps).select(columnsOf(walk).map(selected));
    return isDistinct(walk, selection) ? base.distinct() : base;
  }

  /** Distinct rows are a derived table: they are ordered by columns, and selected expressions may differ from these. */
  #delivered(walk: Walk, selection: Selection): Select {
    if (this.#path.traits.selectable === undefined) return this.#plain(walk, selection);
    const rows = isDistinct(walk, selection)
      ? this.#path.kysely.selectFrom(this.#plain(walk, selection).as("t"))
      : this.#path.from(walk.steps);
    return rows.select(columnsOf(walk).map((column) => this.#path.delivered(column)));
  }

  #ordered(query: Select, walk: Walk, selection: Selection): Select {
    return selection.paged ? this.#order(query, orderOf(walk, selection), walk.last.table) : query;
  }

  #paged(query: Select, walk: Walk, selection: Selection): Select {
    if (!selection.paged) return query;
    const { traits } = this.#path;
    // FETCH requires an ORDER BY.
    const isOrdered = traits.paging !== "fetch" || orderOf(walk, selection).length > 0;
    return (isOrdered ? query : query.orderBy(sql`(select null)`)).modifyEnd(pageOf(traits));
  }

  /** Uses the table's own name: engines differ in aliases here, and SQLite has none for a view with triggers. */
  #change(change: RawBuilder<unknown>, { steps, last }: Walk): Statement {
    const name = last.table.identifier.at(-1) ?? last.table.name;
    const conditions = this.#path.conditions(steps, { name, isTarget: true });
    const where = conditions.length > 0 ? sql` where ${sql.join(conditions, sql` and `)}` : sql``;
    return compileRaw(sql`${change}${where}`, this.#path.kysely, []);
  }

  #first(query: Select, count: number): Select {
    return this.#path.traits.paging === "fetch" ? query.top(count) : query.limit(sql.lit(count));
  }

  #order(query: Select, keys: readonly OrderKey[], table: Table): Select {
    return keys.reduce((ordered, { position, descending }) => {
      const column = columnAt(table, position);
      const { nullable } = column;
      return ordered.orderBy(orderItem(reference(column), { descending, nullable }, this.#path.traits));
    }, query);
  }
}

/** A column with SQL for its default, so that records without any column can be inserted many at a time. */
export function fillerOf({ columns }: Table, { defaulted }: SqlTraits): Filler | undefined {
  for (const column of columns) {
    const isFree = !column.generated && (column.nullable || column.hasDefault);
    const value = isFree ? defaulted?.(column) : undefined;
    if (value) return { column, value };
  }
  return undefined;
}

/** The syntax of most engines. */
function insertReturning({ table, columns, rows, keys }: Insertion): RawBuilder<unknown> {
  const names = columns.map(({ name }) => sql.id(name));
  const values = names.length > 0
    ? sql`(${sql.join(names)}) values ${sql.join(rows.map((row) => sql`(${sql.join(row)})`))}`
    : sql`default values`;
  const returning = keys.length > 0
    ? sql` returning ${sql.join(keys.map(({ name }) => sql.id(name)))}`
    : sql``;
  return sql`insert into ${table} ${values}${returning}`;
}
