/**
 * Compiles summaries of a walk's rows to SQL: names come only from the schema, values only as slots.
 * Each statement selects from a derived table whose columns have fixed names, so that names of the
 * database stand in it once. Pure.
 *
 * @module
 */

import { type Expression, type RawBuilder, sql } from "kysely";
import type { Column } from "@/core/catalog.ts";
import type { ValueType } from "@/core/model.ts";
import { columnAt } from "@/core/schema/table.ts";
import type { Walk } from "@/core/schema/walk_path.ts";
import type { PathSql } from "./path_sql.ts";
import { isDistinct } from "./selection.ts";
import { compile, INTEGER, orderItem, reference, type Select, slot, type Statement } from "./statement.ts";

/** The rows that are summed up. */
export interface SummarySource {
  readonly walk: Walk;
  /** Equal rows count once. */
  readonly distinct: boolean;
}

/** The key of a row's group. */
export type GroupKey =
  | { readonly kind: "value" }
  /** The first characters of a date. */
  | { readonly kind: "period"; readonly length: number }
  /** The number of the range: the slots have the least numbers of the second one and of those behind it. */
  | { readonly kind: "range"; readonly edges: readonly number[] };

/** A total of a column that SQL computes; means are computed from sums. */
type SqlTotal = "sum" | "min" | "max";

/** The groups that a statement counts. */
export interface Grouped {
  /** The position of the column that groups. */
  readonly column: number;
  readonly key: GroupKey;
  /** The column whose total each group has. */
  readonly total?: { readonly column: number; readonly by: SqlTotal };
  /** What the first groups have most of: rows, or a figure of the total. Default: the order of their keys. */
  readonly largest?: "count" | "sum" | "avg" | "min" | "max";
  /** Number of groups to read. */
  readonly most: number;
}

/** Characters of a text that a summary has. */
export const LONGEST_VALUE = 1000;

const TEXT = { type: "text", declaredType: "TEXT" } as const;
const DECIMAL = { type: "decimal", declaredType: "DECIMAL" } as const;
const FLOAT = { type: "float", declaredType: "DOUBLE PRECISION" } as const;

const X = sql.id("s", "x");
const Y = sql.id("s", "y");
const COUNT = sql`count(*)`;

/** An order needs no exact sum, but one that does not overflow. */
function sizeOf(largest: NonNullable<Grouped["largest"]>): RawBuilder<unknown> {
  if (largest === "count") return COUNT;
  const isAdded = largest === "sum" || largest === "avg";
  return sql`${sql.raw(largest)}(${isAdded ? sql`${Y} * 1.0` : Y})`;
}

/** Builds the statements that sum up lists. */
export class SummaryStatements {
  readonly #path: PathSql;

  constructor(path: PathSql) {
    this.#path = path;
  }

  /**
   * Number of rows; of values; of different values; and with `ends` the smallest and
   * the largest; with `sum` the sum.
   */
  facts(
    source: SummarySource,
    position: number,
    parts: Readonly<Record<"distinct" | "ends" | "sum", boolean>>,
  ): Statement {
    const column = columnOf(source, position);
    const cells = [
      { value: COUNT, ...INTEGER },
      { value: sql`count(${X})`, ...INTEGER },
      ...(parts.distinct ? [{ value: sql`count(distinct ${X})`, ...INTEGER }] : []),
      ...(parts.ends ? [this.#end("min", column, X), this.#end("max", column, X)] : []),
      ...(parts.sum ? [this.#sum(column, X)] : []),
    ];
    const rows = this.#derived(source, [{ name: "x", value: this.#compared(column) }]);
    return compile(named(rows, cells), cells);
  }

  /**
   * The first value in ascending or descending order, of types that have no smallest value on every engine.
   */
  end(source: SummarySource, position: number, descending: boolean): Statement {
    const column = columnOf(source, position);
    const cells = [this.#short(column)];
    const rows = this.#derived(source, [{ name: "x", value: this.#compared(column) }]);
    const query = named(rows, cells).where(sql<boolean>`${X} is not null`)
      .orderBy(orderItem(X, { descending, nullable: false }, this.#path.traits));
    return compile(this.#path.first(query, 1), cells);
  }

  /**
   * Groups without those of NULL: the key, the number of rows, and with a total the
   * number of its values and itself.
   */
  groups(source: SummarySource, { column: position, key, total, largest, most }: Grouped): Statement {
    const column = columnOf(source, position);
    const added = total && { column: columnOf(source, total.column), by: total.by };
    const cells = [
      key.kind === "value" ? this.#short(column) : { value: X, ...(key.kind === "range" ? INTEGER : TEXT) },
      { value: COUNT, ...INTEGER },
      ...(added ? [{ value: sql`count(${Y})`, ...INTEGER }, this.#total(added)] : []),
    ];
    const rows = this.#derived(source, [
      { name: "x", value: this.#key(column, key) },
      ...(added ? [{ name: "y", value: this.#compared(added.column) }] : []),
    ]);
    const grouped = named(rows, cells).where(sql<boolean>`${X} is not null`).groupBy(sql`${X}`);
    const { traits } = this.#path;
    const sized = largest === undefined ? grouped : grouped.orderBy(
      orderItem(sizeOf(largest), { descending: true, nullable: largest !== "count" }, traits),
    );
    const ordered = sized.orderBy(orderItem(X, { descending: false, nullable: false }, traits));
    return compile(this.#path.first(ordered, most), cells);
  }

  /** Two columns of rows that have both, in the order of the key. */
  points(source: SummarySource, positions: readonly [x: number, y: number], most: number): Statement {
    const { last: { table } } = source.walk;
    const columns = positions.map((position) => columnOf(source, position));
    const cells = columns.map((column) => ({ value: this.#delivered(column, reference(column)), ...column }));
    const chosen = columns.reduce(
      (query, column) => query.where(sql<boolean>`${reference(column)} is not null`),
      this.#path.source(source.walk, source),
    );
    const query = named(chosen, cells);
    const keys = isDistinct(source.walk, source) ? [] : table.primaryKey;
    const ordered = keys.reduce((sorted, position) => {
      const key = columnAt(table, position);
      return sorted.orderBy(
        orderItem(reference(key), { descending: false, nullable: key.nullable }, this.#path.traits),
      );
    }, query);
    return compile(this.#path.first(ordered, most), cells);
  }

  #derived(source: SummarySource, columns: readonly Named[]): Select {
    return this.#path.kysely.selectFrom(
      this.#path.source(source.walk, source).select(columns.map(({ name, value }) => sql`${value}`.as(name)))
        .as("s"),
    );
  }

  #compared(column: Column): Expression<unknown> {
    const plain = reference(column);
    return this.#path.traits.comparable?.(plain, column) ?? plain;
  }

  #delivered(column: Column, value: RawBuilder<unknown>): Expression<unknown> {
    return this.#path.traits.selectable?.(value, column) ?? value;
  }

  /**
   * A value for people: of a long text the beginning, as a thousand texts of
   * a megabyte would fill the memory.
   */
  #short(column: Column): Cell {
    if (column.type !== "text" || (column.maxLength ?? Infinity) <= LONGEST_VALUE) {
      return { value: this.#delivered(column, X), type: column.type, declaredType: column.declaredType };
    }
    const text = this.#path.traits.textual?.(X, column) ?? X;
    return { value: sql`substring(${text}, 1, ${sql.lit(LONGEST_VALUE)})`, ...TEXT };
  }

  #end(name: "min" | "max", column: Column, value: RawBuilder<unknown>): Cell {
    const end = sql`${sql.raw(name)}(${value})`;
    return { value: this.#delivered(column, end), type: column.type, declaredType: column.declaredType };
  }

  #sum(column: Column, value: RawBuilder<unknown>): Cell {
    const sum = this.#path.traits.summed?.(value, column) ?? sql`sum(${value})`;
    return { value: sum, ...(column.type === "float" ? FLOAT : DECIMAL) };
  }

  #total({ column, by }: { readonly column: Column; readonly by: SqlTotal }): Cell {
    return by === "sum" ? this.#sum(column, Y) : this.#end(by, column, Y);
  }

  #key(column: Column, key: GroupKey): Expression<unknown> {
    if (key.kind === "value") return this.#compared(column);
    if (key.kind === "range") return this.#range(column, key.edges);
    const plain = reference(column);
    const day = this.#path.traits.dayText?.(plain, column) ?? plain;
    return key.length === 10 ? day : sql`substring(${day}, 1, ${sql.lit(key.length)})`;
  }

  /** Compares with the edges as filters do, so that a range has the rows that its filter finds. */
  #range(column: Column, edges: readonly number[]): RawBuilder<unknown> {
    const value = this.#compared(column);
    const cases = edges.map((edge, index) => sql`when ${value} < ${slot(edge)} then ${sql.lit(index)} `);
    return sql`case when ${reference(column)} is null then null ${sql.join(cases, sql``)}else ${
      sql.lit(edges.length)
    } end`;
  }
}

interface Cell {
  readonly value: Expression<unknown>;
  readonly type: ValueType;
  readonly declaredType: string;
}

interface Named {
  readonly name: string;
  readonly value: Expression<unknown>;
}

function named(rows: Select, cells: readonly Cell[]): Select {
  return rows.select(cells.map(({ value }, index) => sql`${value}`.as(`c${index}`)));
}

function columnOf({ walk: { last: { table } } }: SummarySource, position: number): Column {
  return columnAt(table, position);
}
