/**
 * Compiles walks to SQL through Kysely: names come only from the schema, values only as slots that are bound
 * later. Pure; a statement depends only on the walk's shape and is cached for all requests of that shape.
 *
 * @module
 */

import { type AliasedRawBuilder, sql, type SqlBool } from "kysely";
import { excludesNull, type Filter } from "@/core/schema/read_filters.ts";
import { allPositions, columnAt, columnsAt, type Relation, type Table } from "@/core/schema/table.ts";
import type { Step, Walk } from "@/core/schema/walk_path.ts";
import type { Column } from "@/plugins/contract.ts";
import type { JoinedRecord, PathSql } from "./path_sql.ts";
import {
  columnsOf,
  isDistinct,
  keyOrder,
  neededColumns,
  type OrderKey,
  orderOf,
  type Selection,
} from "./selection.ts";
import {
  compile,
  INTEGER,
  nameBeside,
  orderItem,
  pageClause,
  reference,
  type Select,
  selected,
  type Statement,
} from "./statement.ts";

/** Largest number of related rows of one relation in one answer; one more is read to detect an excess. */
export const MAX_RELATED = 20_000;

/** The columns of a walk of whose values only the beginning is read, and the least that is read of each. */
export interface Cut {
  /** Positions in the table, of columns that are {@link WalkStatements.cuttable}. */
  readonly columns: readonly number[];
  /** In characters or bytes. */
  readonly most: number;
}

const WHOLE: Cut = { columns: [], most: 0 };

function lengthsOf({ columns }: Cut): Statement["columns"] {
  return columns.map(() => INTEGER);
}

/** The columns of related rows, and how many of them are read. */
interface RelatedOptions {
  /** Positions of the columns to read. Default: all. */
  readonly columns?: readonly number[];
  /** The number of rows. Default: one more than an answer may have. */
  readonly most?: number;
}

/**
 * The rows of the last relation of a chain, and their parents; the key columns of both are pairwise equal.
 */
interface RelatedRows {
  readonly children: Select;
  /** The first children, in key order. */
  readonly rows: Select;
  readonly parents: Select;
  readonly keys: readonly Column[];
  readonly parentKeys: readonly Column[];
}

/** Builds the statements that read. */
export class WalkStatements {
  readonly #path: PathSql;

  constructor(path: PathSql) {
    this.#path = path;
  }

  /** The rows of a walk; the lengths of the values that are cut are behind its columns. */
  rows(walk: Walk, selection: Selection, cut: Cut = WHOLE): Statement {
    const ordered = this.#ordered(this.#delivered(walk, selection, cut), walk, selection);
    return compile(this.#paged(ordered, walk, selection), [...columnsOf(walk), ...lengthsOf(cut)]);
  }

  /** Like {@link rows}, with the columns of records that each leads to behind them. */
  joined(walk: Walk, selection: Selection, records: readonly JoinedRecord[], cut: Cut = WHOLE): Statement {
    const columns = neededColumns(walk, selection, records.map(({ relation }) => relation));
    const page = this.#path.kysely.selectFrom(this.#page({ ...walk, columns }, selection).as("t"));
    const rows = this.#path.joined(page.select(this.#cells(walk, cut)), walk, records);
    return compile(this.#ordered(rows, walk, selection), [
      ...columnsOf(walk),
      ...lengthsOf(cut),
      ...records.flatMap(({ relation: { table }, columns }) => columnsAt(table, columns)),
    ]);
  }

  /** The number of rows of a walk, after `distinct`, before limit and offset. */
  count(walk: Walk, selection: Selection): Statement {
    return compile(this.#path.source(walk, selection).select(sql`count(*)`.as("count")), [INTEGER]);
  }

  /** Like {@link count}, but stops counting one beyond `most`. */
  countUpTo(most: number, walk: Walk, selection: Selection): Statement {
    const rows = isDistinct(walk, selection)
      ? this.#path.plain(walk, selection)
      : this.#path.from(walk.steps).select(sql`1`.as("one"));
    const some = this.#path.kysely.selectFrom(this.#path.first(rows, most + 1).as("t"));
    return compile(some.select(sql`count(*)`.as("count")), [INTEGER]);
  }

  /** Whether these steps of a walk select a record. */
  exists(steps: readonly Step[]): Statement {
    const query = this.#path.from(steps).select(sql`1`.as("found"));
    return compile(query, [INTEGER]);
  }

  /** The rows related to a walk's page over a chain of relations, each row once, in key order. */
  related(
    walk: Walk,
    selection: Selection,
    chain: readonly Relation[],
    options: RelatedOptions = {},
  ): Statement {
    const { table } = chain.at(-1) ?? walk.last;
    const columns = columnsAt(table, options.columns ?? allPositions(table));
    const { rows } = this.#related(walk, selection, chain, options);
    return compile(rows.select(columns.map((column) => this.#path.delivered(column))), columns);
  }

  /**
   * The keys of {@link related}'s parents beside those of its rows, in pairs that the engine considers equal:
   * they may be spelled in two ways, such as `Red` and `red`, or 1.0 and 1.00.
   */
  pairs(walk: Walk, selection: Selection, chain: readonly Relation[], options?: RelatedOptions): Statement {
    const { rows, ...related } = this.#related(walk, selection, chain, options);
    const { parents, keys, parentKeys } = related;
    const paired = this.#beside(rows.select(keys.map(selected)), parents, related).select([
      ...parentKeys.map((key) => this.#path.delivered(key, "o")),
      ...keys.map((key) => this.#path.delivered(key)),
    ]);
    return compile(paired, [...parentKeys, ...keys]);
  }

  /**
   * The keys of a walk's page that have related rows, each with the number of these. Counts no further
   * than one row beyond `most` in all.
   */
  relatedCounts(walk: Walk, selection: Selection, relation: Relation, most: number): Statement {
    const { children, ...related } = this.#related(walk, selection, [relation]);
    const { parents, keys, parentKeys } = related;
    const rows = this.#path.first(children.select(keys.map(selected)), most + 1);
    const owners = this.#path.kysely.selectFrom(parents.as("t")).select(parentKeys.map(selected)).distinct();
    const count = nameBeside(parentKeys);
    const groups = parentKeys.reduce(
      (query, key) => query.groupBy(reference(key, "o")),
      this.#beside(rows, owners, related).select(parentKeys.map((key) => reference(key, "o").as(key.name)))
        .select(sql<number>`count(*)`.as(count)),
    );
    const shown = parentKeys.map((key) => this.#path.delivered(key));
    const counted = this.#path.kysely.selectFrom(groups.as("t"))
      .select([...shown, sql.id("t", count).as(count)]);
    return compile(counted, [...parentKeys, INTEGER]);
  }

  /** The rows at the end of a chain of relations, and their parents; the columns are still to be selected. */
  #related(
    walk: Walk,
    selection: Selection,
    chain: readonly Relation[],
    { most = MAX_RELATED + 1 }: RelatedOptions = {},
  ): RelatedRows {
    const last = chain.at(-1);
    if (!last) throw new Error("A chain of relations has at least one");
    let parents = this.#page({ ...walk, columns: allPositions(walk.last.table) }, selection);
    let owner = walk.last.table;
    for (const relation of chain.slice(0, -1)) {
      parents = this.#children(parents, owner, relation).select(relation.table.columns.map(selected));
      owner = relation.table;
    }
    const keys = columnsAt(last.table, last.foreign);
    const parentKeys = columnsAt(owner, last.local);
    const children = this.#children(parents, owner, last);
    const rows = this.#path.first(this.#order(children, keyOrder(last.table), last), most);
    return { children, rows, parents, keys, parentKeys };
  }

  /** Rows `t` beside each of their parents `o`. */
  #beside(
    rows: Select,
    parents: Select,
    { keys, parentKeys }: Pick<RelatedRows, "keys" | "parentKeys">,
  ): Select {
    const both = this.#path.kysely.selectFrom([rows.as("t"), parents.as("o")]) as unknown as Select;
    return keys.reduce((query, key, index) => {
      return query.where(sql<SqlBool>`${reference(key)} = ${reference(parentKeys[index] ?? key, "o")}`);
    }, both);
  }

  #children(parent: Select, owner: Table, relation: Relation): Select {
    return this.#path.all(relation.table)
      .where(this.#path.linked(relation, this.#path.kysely.selectFrom(parent.as("t")), owner));
  }

  /** A walk's page with unconverted columns, for use in an outer statement. */
  #page(walk: Walk, selection: Selection): Select {
    const rows = this.#path.source(walk, selection).select(columnsOf(walk).map(selected));
    return this.#paged(this.#ordered(rows, walk, selection), walk, selection);
  }

  /** Of these columns of a table, those with values that the engine can cut. */
  cuttable(table: Table, positions: readonly number[], most: number): readonly number[] {
    return positions.filter((position) => this.#path.cut(columnAt(table, position), most) !== undefined);
  }

  #delivered(walk: Walk, selection: Selection, cut: Cut): Select {
    const isPlain = this.#path.traits.selectable === undefined && cut.columns.length === 0;
    if (isPlain) return this.#path.plain(walk, selection);
    return this.#path.source(walk, selection).select(this.#cells(walk, cut));
  }

  /** The columns of a walk's rows as answers have them, and the lengths of the values that are cut. */
  #cells(walk: Walk, { columns, most }: Cut): readonly AliasedRawBuilder<unknown, string>[] {
    const { table } = walk.last;
    const cuts = new Map(columnsAt(table, columns).map((column) => [column, this.#path.cut(column, most)]));
    return [
      ...columnsOf(walk).map((column) => {
        const beginning = cuts.get(column)?.beginning;
        return beginning ? sql`${beginning}`.as(column.name) : this.#path.delivered(column);
      }),
      ...[...cuts.values()].map((value) => sql`${value?.length}`.as("length")),
    ];
  }

  #ordered(query: Select, walk: Walk, selection: Selection): Select {
    return selection.paged ? this.#order(query, orderOf(walk, selection), walk.last) : query;
  }

  #paged(query: Select, walk: Walk, selection: Selection): Select {
    if (!selection.paged) return query;
    const { traits } = this.#path;
    // FETCH requires an ORDER BY.
    const isOrdered = traits.paging !== "fetch" || orderOf(walk, selection).length > 0;
    return (isOrdered ? query : query.orderBy(sql`(select null)`)).modifyEnd(pageClause(traits));
  }

  #order(
    query: Select,
    keys: readonly OrderKey[],
    { table, filters = [] }: { readonly table: Table; readonly filters?: readonly Filter[] },
  ): Select {
    const { traits } = this.#path;
    // Few indexes serve an order that names the place of NULL.
    const filled = new Set(filters.filter(excludesNull).map(({ column }) => column));
    return keys.reduce((ordered, { position, descending, via }) => {
      const column = columnAt(via?.table ?? table, position);
      const plain = via ? this.#path.behind(via, column, table) : reference(column);
      const value = traits.ordered?.(plain, column) ?? plain;
      const nullable = via !== undefined || (column.nullable && !filled.has(position));
      return ordered.orderBy(orderItem(value, { descending, nullable }, traits));
    }, query);
  }
}
