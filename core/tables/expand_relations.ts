/**
 * Puts related rows into the cells of their parents, and counts how often each is printed.
 *
 * @module
 */

import { badRequest, quote, ServiceError } from "@/core/errors.ts";
import type { Cell, Row } from "@/core/model.ts";
import { MAX_RELATED } from "@/core/sql/walk_statements.ts";
import type { Expansion } from "./answer_shape.ts";
import type { KeptExpansion } from "./kept_statement.ts";

/**
 * Largest number of records in an answer that needs all of them at once: with related records, or transposed.
 */
export const MAX_WHOLE = 50_000;

/** The number of records of one relation that an answer prints. */
interface Printed {
  readonly expansion: Expansion;
  readonly records: number;
  /** Every row has a parent, and every parent with a reference its row. */
  readonly isPaired: boolean;
}

/**
 * The rows of a relation, and the parents' keys that equal those of the rows, if
 * they are spelled in another way.
 */
interface Found {
  readonly rows: readonly Row[];
  readonly pairs: readonly Row[];
}

/** Rows, and the number of times that the answer prints each. */
interface Level {
  readonly rows: readonly Row[];
  readonly times: readonly number[];
}

/** Related rows with the same key. */
interface Group {
  readonly rows: Row[];
  /** The number of times that parents ask for the key; undefined: none does. */
  asked: number | undefined;
}

/** How many related records there are, and the relations whose keys did not all find each other. */
interface Put {
  readonly related: number;
  /**
   * Their parents and rows need {@link Pairs}: the engine considers keys equal that are spelled in two ways.
   */
  readonly unpaired: readonly KeptExpansion[];
}

/** The rows of `WalkStatements.pairs` by relation: the parent's key, then that of the related row. */
type Pairs = ReadonlyMap<KeptExpansion, readonly Row[]>;

/** Throws 400 if the answer would print too many records. */
export function putRelated(
  expansions: readonly KeptExpansion[],
  rows: readonly Row[],
  related: readonly (readonly Row[])[],
  pairs: Pairs = new Map(),
): Put {
  const read = expansions.map(({ expansion }, index): Printed => {
    return { expansion, records: related[index]?.length ?? 0, isPaired: true };
  });
  const largest = largestOf(read);
  if (largest.records > MAX_RELATED) {
    throw tooMany(`more than ${MAX_RELATED} related records into one answer`, largest);
  }
  // Each is printed at least once. The statements that were skipped at this point could only add more.
  if (sumOf(rows, read) > MAX_WHOLE) throw tooManyRecords(`more than ${MAX_WHOLE}`, largest);
  const printed = stitch(rows, expansions, related, pairs);
  const total = sumOf(rows, printed);
  if (total > MAX_WHOLE) throw tooManyRecords(`${total}`, largestOf(printed));
  const loose = new Set(printed.filter(({ isPaired }) => !isPaired).map(({ expansion }) => expansion));
  const unpaired = expansions.filter((kept) => kept.pairs && !pairs.has(kept) && loose.has(kept.expansion));
  return { related: sumOf([], read), unpaired };
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
  return badRequest(`Cannot put ${records}: leave out ${path} with a smaller depth, or use a smaller limit`);
}

/**
 * `related[i]` are the rows of `expansions[i]`. Rows are extended in place: they belong to this answer only.
 * A row that several parents share is read once but printed below each of them, with everything below it.
 */
export function stitch(
  rows: readonly Row[],
  expansions: readonly KeptExpansion[],
  related: readonly (readonly Row[])[],
  pairs: Pairs = new Map(),
): readonly Printed[] {
  const found = new Map(expansions.map((kept, index) => {
    return [kept.expansion, { rows: related[index] ?? [], pairs: pairs.get(kept) ?? [] }];
  }));
  const roots = expansions.map(({ expansion }) => expansion).filter(({ chain }) => chain.length === 1);
  const top = { rows, times: rows.map(() => 1) };
  return roots.flatMap((expansion) => attach(top, expansion, found));
}

function attach(
  parents: Level,
  expansion: Expansion,
  found: ReadonlyMap<Expansion, Found>,
): readonly Printed[] {
  const { cell, local, foreign, countedUpTo, relation: { many } } = expansion;
  const { rows, pairs } = found.get(expansion) ?? { rows: [], pairs: [] };
  if (countedUpTo !== undefined) {
    putCounts(parents.rows, expansion, rows, countedUpTo);
    return [];
  }
  const respelled = spellings(expansion, pairs);
  const groups = new Map<string, Group>();
  const groupOf = rows.map((row) => {
    const key = respelled(keyOf(row, foreign));
    if (key === null) return undefined;
    const group = groups.getOrInsertComputed(key, () => ({ rows: [], asked: undefined }));
    group.rows.push(row);
    return group;
  });
  let isPaired = true;
  for (const [index, parent] of parents.rows.entries()) {
    const key = respelled(keyOf(parent, local));
    const group = key === null ? undefined : groups.get(key);
    (parent as Cell[])[cell] = group?.rows ?? [];
    if (group) group.asked = (group.asked ?? 0) + (parents.times[index] ?? 0);
    else if (key !== null && !many && isText(parent, local)) isPaired = false;
  }
  const times = rows.map((row, index) => {
    const group = groupOf[index];
    if (!group) return 0;
    if (group.asked === undefined) isPaired = false;
    const isPrinted = many || group.rows[0] === row;
    return isPrinted ? group.asked ?? 0 : 0;
  });
  const below = expansion.children.flatMap((child) => attach({ rows, times }, child, found));
  return [{ expansion, records: times.reduce((sum, each) => sum + each, 0), isPaired }, ...below];
}

/** Returns a function that spells a key of either side as the one side does. */
function spellings(
  { local, relation: { many } }: Expansion,
  pairs: readonly Row[],
): (key: string | null) => string | null {
  if (pairs.length === 0) return (key) => key;
  const parent = local.map((_, index) => index);
  const related = local.map((_, index) => local.length + index);
  const [from, to] = many ? [related, parent] : [parent, related];
  const same = new Map(pairs.map((row) => [keyOf(row, from), keyOf(row, to)]));
  return (key) => same.get(key) ?? key;
}

/**
 * Whether a key has text, or a number with its digits as text: other cells are
 * equal only if they look the same.
 */
function isText(row: Row, positions: readonly number[]): boolean {
  return positions.some((position) => typeof row[position] === "string");
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
