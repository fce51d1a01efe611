/**
 * Puts related rows into the cells of their parents, and counts how often each is printed.
 *
 * @module
 */

import type { KeptExpansion } from "./compile_read.ts";
import { badRequest, quote, ServiceError } from "@/core/errors.ts";
import type { Cell, Row } from "@/core/model.ts";
import { MAX_RELATED } from "@/core/sql/walk_statements.ts";
import type { Expansion } from "./answer_shape.ts";

/** Largest number of records in an answer that needs all of them at once: with related records, or transposed. */
export const MAX_WHOLE = 50_000;

/** The number of records of one relation that an answer prints. */
interface Printed {
  readonly expansion: Expansion;
  readonly records: number;
}

/** Rows, and the number of times that the answer prints each. */
interface Level {
  readonly rows: readonly Row[];
  readonly times: readonly number[];
}

/** Returns the number of related records. Throws 400 if the answer would print too many. */
export function putRelated(
  expansions: readonly KeptExpansion[],
  rows: readonly Row[],
  related: readonly (readonly Row[])[],
): number {
  const read = expansions.map(({ expansion }, index): Printed => {
    return { expansion, records: related[index]?.length ?? 0 };
  });
  const largest = largestOf(read);
  if (largest.records > MAX_RELATED) {
    throw tooMany(`more than ${MAX_RELATED} related records into one answer`, largest);
  }
  // Each is printed at least once. The statements that were skipped at this point could only add more.
  if (sumOf(rows, read) > MAX_WHOLE) throw tooManyRecords(`more than ${MAX_WHOLE}`, largest);
  const printed = stitch(rows, expansions, related);
  const total = sumOf(rows, printed);
  if (total > MAX_WHOLE) throw tooManyRecords(`${total}`, largestOf(printed));
  return sumOf([], read);
}

function largestOf(counts: readonly Printed[]): Printed {
  return counts.reduce((largest, each) => each.records > largest.records ? each : largest);
}

function sumOf(rows: readonly Row[], related: readonly Printed[]): number {
  return related.reduce((sum, { records }) => sum + records, rows.length);
}

function tooManyRecords(count: string, largest: Printed): ServiceError {
  return tooMany(`${count} records into one answer, ${MAX_WHOLE} at most`, largest);
}

/** Names the relation with the most records. */
function tooMany(records: string, { expansion: { chain } }: Printed): ServiceError {
  const path = quote(chain.map(({ name }) => name).join("/"));
  return badRequest(
    `Cannot put ${records}: leave out ${path} with a smaller depth, or use a smaller limit`,
  );
}

/**
 * `related[i]` are the rows of `expansions[i]`. Rows are extended in place: they belong to this answer only. A row that
 * several parents share is read once but printed below each of them, with everything below it.
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
  const { cell, local, foreign, countedUpTo, relation: { many } } = expansion;
  const rows = rowsOf.get(expansion) ?? [];
  if (countedUpTo !== undefined) {
    putCounts(parents.rows, expansion, rows, countedUpTo);
    return [];
  }
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

/** Numbers that were not counted to their end would be wrong: then there are none. */
function putCounts(
  parents: readonly Row[],
  { cell, local, foreign }: Expansion,
  counts: readonly Row[],
  most: number,
): void {
  const known = new Map(counts.map((row) => [keyOf(row, foreign), Number(row.at(-1))]));
  const isWhole = known.values().reduce((sum, count) => sum + count, 0) <= most;
  for (const parent of parents) {
    (parent as Cell[])[cell] = isWhole ? known.get(keyOf(parent, local)) ?? 0 : null;
  }
}

/** Equal for equal keys; null if a part is NULL, because NULL is related to nothing. */
function keyOf(row: Row, positions: readonly number[]): string | null {
  const [only, ...others] = positions;
  if (only !== undefined && others.length === 0) return partOf(row[only]);
  const parts = positions.map((position) => partOf(row[position]));
  return parts.includes(null) ? null : JSON.stringify(parts);
}

function partOf(cell: Cell | undefined): string | null {
  if (cell === null || cell === undefined) return null;
  return cell instanceof Uint8Array ? cell.toBase64() : String(cell);
}
