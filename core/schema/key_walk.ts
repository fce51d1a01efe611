/**
 * Walks to one record by its key: before the key is known, and with its values. Both have the key of the
 * record's path, so they share its compiled read with GET. Pure.
 *
 * @module
 */

import { type Filter, filterKey, FilterReader } from "./read_filters.ts";
import type { Table } from "./table.ts";
import { isExact, type Walk, type WalkContext } from "./walk_path.ts";

/** The walk to a record whose key is not known yet: each column of the key has one value. */
export function keyWalk(table: Table): Walk {
  return walkOf(table, table.primaryKey.map((column, slot) => filterOn(column, [slot])));
}

/** The walk to the records with one of `count` values in a column, before these are known. */
export function valuesWalk(table: Table, column: number, count: number): Walk {
  return walkOf(table, [filterOn(column, Array.from({ length: count }, (_, slot) => slot))]);
}

function filterOn(column: number, slots: readonly number[]): Filter {
  return { column, negated: false, conditions: [{ kind: "in", slots }] };
}

/**
 * The walk to a record from the segments of its own path: the table, then each column of the key with its
 * value. Its `key` differs from that of {@link keyWalk} only where cells of another type look like the value.
 * Throws 400 for values of the wrong type.
 */
export function readKeyWalk(
  table: Table,
  segments: readonly string[],
  context: Pick<WalkContext, "grammar" | "traits">,
): Walk {
  const reader = new FilterReader(context);
  const filters = table.primaryKey.map((column, index) => {
    return reader.read(segments[2 * index + 2] ?? "", table, { column, negated: false });
  });
  return walkOf(table, filters, reader);
}

/** Walks to records with one of several keys. */
interface KeyedWalks {
  /** The cell of a row with its key. */
  readonly cell: number;
  /** The number of cells without a key that was not asked for. */
  readonly width: number;
  /** The walk to the records with one of so many keys. */
  walk(count: number): Walk;
}

/**
 * The walks that read several records like that of this walk, by a key of one whole number: it shows with
 * certainty whose row it is. Undefined for other keys, and for walks with further steps or filters.
 */
export function keyedWalks(
  { steps, last: { table, filters, single }, columns }: Walk,
): KeyedWalks | undefined {
  const [key, ...others] = table.primaryKey;
  if (!single || key === undefined || others.length > 0 || steps.length > 1) return undefined;
  if (filters.length !== 1) return undefined;
  const [{ column, conditions } = { column: -1, conditions: [] }] = filters;
  if (column !== key || conditions[0]?.kind !== "in" || table.columns[key]?.type !== "integer") {
    return undefined;
  }
  const listed = columns ?? [...table.columns.keys()];
  const read = listed.includes(key) ? listed : [...listed, key];
  return {
    cell: read.indexOf(key),
    width: listed.length,
    walk: (count) => ({ ...valuesWalk(table, key, count), columns: read }),
  };
}

function walkOf(
  table: Table,
  filters: readonly Filter[],
  { values, plain }: Pick<Walk, "values" | "plain"> = { values: [], plain: [] },
): Walk {
  const last = { table, filters, single: filters.every(isExact) };
  return { steps: [last], last, values, plain, key: table.segment + filters.map(filterKey).join("") };
}
