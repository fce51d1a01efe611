/**
 * The part of a walk that a statement selects: its columns, and their order. Pure.
 *
 * @module
 */

import type { SortKey } from "@/core/request/parameter_values.ts";
import { allPositions, columnAt, columnsAt, type Relation, type Table } from "@/core/schema/table.ts";
import type { Walk } from "@/core/schema/walk_path.ts";
import type { Column } from "@/plugins/contract.ts";

/** The options of selecting a walk's rows. */
export interface Selection {
  readonly distinct: boolean;
  readonly sort: readonly (Pick<SortKey, "column"> & OrderKey)[];
  /** False for single records, which need neither order nor limit, and for whole results of saved queries. */
  readonly paged: boolean;
}

/** Every row, in any order. */
export const ALL_ROWS: Selection = { distinct: false, sort: [], paged: false };

/** The columns that a walk lists, or all. */
export function columnsOf({ columns, last: { table } }: Walk): readonly Column[] {
  return columnsAt(table, columns ?? allPositions(table));
}

/**
 * Whether rows have to be compared to be distinct. Rows with their whole key are distinct already, as
 * a path finds each record once; and some types have no equality. Only keys that the engine keeps
 * unique count, and only without NULL.
 */
export function isDistinct(
  { columns, last: { table } }: Walk,
  { distinct }: Pick<Selection, "distinct">,
): boolean {
  if (!distinct) return false;
  const isSure = (position: number) => {
    return !columnAt(table, position).nullable && (columns?.includes(position) ?? true);
  };
  return !table.hasOwnKey || table.primaryKey.length === 0 || !table.primaryKey.every(isSure);
}

/** A column to order by. */
export interface OrderKey {
  readonly position: number;
  readonly descending: boolean;
  /** The relation to one record whose column it is. Absent: it is the table's own. */
  readonly via?: Relation;
}

/**
 * The requested order, then the key, so that pages are stable, or all columns where there is none; distinct
 * rows are ordered by selected columns only. The key goes in the direction of the column before it: an index
 * of that column has it that way, so an engine need not sort.
 */
export function orderOf(
  walk: Walk,
  { distinct, sort }: Pick<Selection, "distinct" | "sort">,
): readonly OrderKey[] {
  const { table } = walk.last;
  const descending = sort.at(-1)?.descending === true;
  let natural: readonly OrderKey[] = keyOrder(table).map((key) => ({ ...key, descending }));
  if (distinct && (walk.columns || table.primaryKey.length === 0)) {
    natural = ascending(walk.columns ?? allPositions(table));
  } else if (natural.length === 0 && sort.length > 0) natural = ascending(allPositions(table));
  const sorted = new Set(sort.filter(({ via }) => !via).map(({ position }) => position));
  return [...sort, ...natural.filter(({ position }) => !sorted.has(position))];
}

/** The columns of a walk's rows that are listed, ordered by, and that lead to other records. */
export function neededColumns(
  walk: Walk,
  selection: Selection,
  relations: readonly Relation[],
): readonly number[] {
  const listed = walk.columns ?? allPositions(walk.last.table);
  const ordered = orderOf(walk, selection).flatMap(({ position, via }) => via ? via.local : [position]);
  return [...new Set([...listed, ...ordered, ...relations.flatMap(({ local }) => local)])];
}

/** The order of the key, or of a unique key where the table has none: both tell all rows apart. */
export function keyOrder({ columns, primaryKey, uniqueKeys }: Table): readonly OrderKey[] {
  const isWhole = (key: readonly number[]) => key.every((position) => columns[position]?.nullable === false);
  const key = primaryKey.length > 0 ? primaryKey : uniqueKeys.find(isWhole) ?? [];
  return ascending(key);
}

function ascending(positions: readonly number[]): readonly OrderKey[] {
  return positions.map((position) => ({ position, descending: false }));
}
