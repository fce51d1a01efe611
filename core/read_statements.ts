/**
 * Walks to SQL through Kysely: names only from the schema, values only as slots that are bound later. Pure; a
 * statement depends on a walk's shape only and is kept for all requests of that shape.
 *
 * @module
 */

import { sql } from "kysely";
import type { SortKey } from "./parameters.ts";
import type { PathSql } from "./path_sql.ts";
import type { Relation, Table } from "./schema.ts";
import {
  allPositions,
  columnAt,
  compile,
  LIMIT_SLOT,
  OFFSET_SLOT,
  reference,
  type Select,
  selected,
  slot,
  type Statement,
} from "./sql.ts";
import type { Step, Walk } from "./walk.ts";

/** Related rows of one relation that one answer can hold; one more is read to notice that there are more. */
export const MAX_RELATED = 20_000;

/** What is selected of a walk. */
export interface Selection {
  readonly distinct: boolean;
  readonly sort: readonly (SortKey & { readonly position: number })[];
  /** False for single records: they need neither order nor limit. */
  readonly paged: boolean;
}

/** Builds the statements that read. */
export class ReadStatements {
  readonly #path: PathSql;

  constructor(path: PathSql) {
    this.#path = path;
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
    const counted = selection.distinct
      ? this.#path.kysely.selectFrom(rows.as("t"))
      : this.#path.from(walk.steps);
    return compile(counted.select(sql`count(*)`.as("count")), [{ type: "integer", declaredType: "INTEGER" }]);
  }

  /** The values of a path's last table that a related record takes its foreign key from. */
  values(steps: readonly Step[], positions: readonly number[]): Statement {
    const table = steps.at(-1)?.table;
    if (!table) throw new Error("A path has at least its table");
    const columns = positions.map((position) => columnAt(table, position));
    return compile(
      this.#path.from(steps).select(columns.map(selected)).distinct().limit(sql.lit(2)),
      columns,
    );
  }

  /** Whether the record exists that these steps of a walk lead to. */
  exists(steps: readonly Step[]): Statement {
    const query = this.#path.from(steps).select(sql`1`.as("found"));
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
    return compile(query.limit(sql.lit(MAX_RELATED + 1)), last.table.columns);
  }

  #children(parent: Select, owner: Table, relation: Relation): Select {
    const { table } = relation;
    return this.#path.all(table)
      .where(this.#path.linked(relation, this.#path.kysely.selectFrom(parent.as("t")), owner))
      .select(table.columns.map(selected));
  }

  #page(walk: Walk, selection: Selection): Select {
    const query = this.#select(walk, selection);
    if (!selection.paged) return query;
    return query.limit(slot(LIMIT_SLOT)).offset(slot(OFFSET_SLOT));
  }

  #select(walk: Walk, { distinct, sort, paged }: Selection): Select {
    const { table } = walk.last;
    const positions = walk.columns ?? allPositions(table);
    const base = this.#path.from(walk.steps).select(
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
