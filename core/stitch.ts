/**
 * Puts related rows into the cells of the rows that they belong to, and counts how often each is printed.
 *
 * @module
 */

import type { KeptExpansion } from "./compile_read.ts";
import type { Cell, Row } from "./model.ts";
import type { Expansion } from "./shapes.ts";

/** How many records an answer prints of one relation. */
export interface Printed {
  readonly expansion: Expansion;
  readonly records: number;
}

/** Rows, and how often the answer prints each of them. */
interface Level {
  readonly rows: readonly Row[];
  readonly times: readonly number[];
}

/**
 * `related[i]` are the rows of `expansions[i]`. Rows are extended in place: they belong to this answer alone. A row that
 * several parents share is read once, but printed below each of them with everything below it; counting that takes one
 * pass over what was read.
 */
export function stitch(
  rows: readonly Row[],
  expansions: readonly KeptExpansion[],
  related: readonly (readonly Row[])[],
): readonly Printed[] {
  const rowsOf = new Map(expansions.map(({ expansion }, index) => [expansion, related[index] ?? []]));
  const roots = expansions.map(({ expansion }) => expansion).filter(({ chain }) => chain.length === 1);
  const top = { rows, times: rows.map(() => 1) };
  return roots.flatMap((expansion) => attach(top, expansion, rowsOf));
}

function attach(
  parents: Level,
  expansion: Expansion,
  rowsOf: ReadonlyMap<Expansion, readonly Row[]>,
): readonly Printed[] {
  const { cell, relation: { local, foreign, many } } = expansion;
  const rows = rowsOf.get(expansion) ?? [];
  const keys = rows.map((row) => keyOf(row, foreign));
  const groups = Map.groupBy(rows, (_, index) => keys[index] ?? null);
  const asked = new Map<string, number>();
  for (const [index, parent] of parents.rows.entries()) {
    const key = keyOf(parent, local);
    (parent as Cell[])[cell] = key === null ? [] : groups.get(key) ?? [];
    if (key !== null) asked.set(key, (asked.get(key) ?? 0) + (parents.times[index] ?? 0));
  }
  const times = rows.map((row, index) => {
    const key = keys[index] ?? null;
    const isPrinted = key !== null && (many || groups.get(key)?.[0] === row);
    return isPrinted ? asked.get(key) ?? 0 : 0;
  });
  const below = expansion.children.flatMap((child) => attach({ rows, times }, child, rowsOf));
  return [{ expansion, records: times.reduce((sum, each) => sum + each, 0) }, ...below];
}

/** Equal for equal keys; null where a part is NULL, which is related to nothing. */
function keyOf(row: Row, positions: readonly number[]): string | null {
  const parts = positions.map((position) => row[position]);
  if (parts.some((part) => part === null || part === undefined)) return null;
  return JSON.stringify(parts.map((part) => (part instanceof Uint8Array ? part.toBase64() : String(part))));
}
