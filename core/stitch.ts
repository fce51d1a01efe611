/**
 * Puts related rows into the cells of the rows that they belong to.
 *
 * @module
 */

import type { KeptExpansion } from "./compile_read.ts";
import type { Cell, Row } from "./model.ts";
import type { Expansion } from "./shapes.ts";

/** `related[i]` are the rows of `expansions[i]`. Rows are extended in place: they belong to this answer alone. */
export function stitch(
  rows: readonly Row[],
  expansions: readonly KeptExpansion[],
  related: readonly (readonly Row[])[],
): void {
  const rowsOf = new Map(expansions.map(({ expansion }, index) => [expansion, related[index] ?? []]));
  const roots = expansions.map(({ expansion }) => expansion).filter(({ chain }) => chain.length === 1);
  for (const expansion of roots) attach(rows, expansion, rowsOf);
}

function attach(
  parents: readonly Row[],
  expansion: Expansion,
  rowsOf: ReadonlyMap<Expansion, readonly Row[]>,
): void {
  const children = rowsOf.get(expansion) ?? [];
  for (const child of expansion.children) attach(children, child, rowsOf);
  const { local, foreign } = expansion.relation;
  const groups = Map.groupBy(children, (row) => keyOf(row, foreign));
  for (const parent of parents) {
    const key = keyOf(parent, local);
    (parent as Cell[])[expansion.cell] = key === null ? [] : groups.get(key) ?? [];
  }
}

/** Equal for equal keys; null where a part is NULL, which is related to nothing. */
function keyOf(row: Row, positions: readonly number[]): string | null {
  const parts = positions.map((position) => row[position]);
  if (parts.some((part) => part === null || part === undefined)) return null;
  return JSON.stringify(parts.map((part) => (part instanceof Uint8Array ? part.toBase64() : String(part))));
}
