/**
 * Compares a change with the stored cells: values that they show already, and the spelling of new values.
 *
 * @module
 */

import type { Eventual } from "@/core/base/eventual.ts";
import type { Row, Value } from "@/core/model.ts";
import { readKeyWalk } from "@/core/schema/key_walk.ts";
import type { Table } from "@/core/schema/table.ts";
import type { Walk } from "@/core/schema/walk_path.ts";
import { locator } from "./answer_shape.ts";
import type { InsertPlan, UpdatePlan } from "./plan_write.ts";
import { look, type Running } from "./run_write.ts";
import { type Assignments, type Repeats, requireNone } from "./validate_body.ts";

/** The changes of a body. */
export interface Change {
  readonly record: Assignments;
  readonly repeats: Repeats;
  /** The parameter `csvNullStr`, which decides how NULL is shown. */
  readonly csvNullStr: boolean;
}

/** The records of a walk, and their new values. */
interface Part {
  readonly walk: Walk;
  readonly record: Assignments;
}

/** Records that are changed alike by one statement, if their key is one column. */
const TOGETHER = 500;

/** The greatest number of records in a list whose cells are compared with the body. */
const MOST_COMPARED = 20_000;

/**
 * Drops members whose value a locked record shows already; records that show different members become parts.
 * Throws 400 for values that are valid only if every record shows them.
 */
export async function withoutRepeats(
  plan: Running<UpdatePlan>,
  { record, repeats, csvNullStr }: Change,
): Promise<readonly Part[]> {
  const { walk, table, body: { format } } = plan;
  if (repeats.size === 0) return [{ walk, record }];
  const rows = await readShown(plan, [...repeats.keys()]);
  const dropped = rows.map((row) =>
    [...repeats].flatMap(([position, { given }], at) => {
      const type = table.columns[position]?.type ?? "any";
      const cell = row[at] as Value;
      // MySQL may set the time of a change in a column that an update does not name.
      if (cell === null && record.get(position) === null) return [];
      return format.shows?.(cell, given, { type, csvNullStr }) ? [position] : [];
    })
  );
  requireNone([...repeats].flatMap(([position, { complaint }]) => {
    const isShown = dropped.length > 0 && dropped.every((each) => each.includes(position));
    return complaint === undefined || isShown ? [] : [complaint];
  }));
  const partOf = (walk: Walk, shown: readonly number[] = []) => {
    return { walk, record: new Map([...record].filter(([position]) => !shown.includes(position))) };
  };
  const alike = Map.groupBy(rows.keys(), (at) => dropped[at]?.join());
  if (alike.size <= 1) return [partOf(walk, dropped[0])];
  const locate = locator(table, plan.place, table.primaryKey.map((_, at) => repeats.size + at));
  const paths = rows.map(locate).filter((path) => path !== null);
  // Records without a key cannot be told apart.
  if (paths.length < rows.length) return [{ walk, record }];
  const most = table.primaryKey.length > 1 ? 1 : TOGETHER;
  return alike.values().toArray().flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / most) }, (_, index) => {
      const some = all.slice(index * most, (index + 1) * most);
      return partOf(walkTo(plan, some.map((at) => paths[at] ?? "")), dropped[all[0] ?? 0]);
    })
  );
}

/** Reads and locks the cells of these columns and the key after them; none of a list that is too long. */
async function readShown(plan: Running<UpdatePlan>, repeated: readonly number[]): Promise<readonly Row[]> {
  const { walk, table, connection } = plan;
  const columns = [...repeated, ...(walk.last.single ? [] : table.primaryKey)];
  const rows = await look(
    plan,
    connection.writes.record({ ...walk, columns }, MOST_COMPARED + 1),
    walk.values,
  );
  if (walk.last.single) return rows.slice(0, 1);
  return rows.length > MOST_COMPARED ? [] : rows;
}

/** The walk to records by their paths: to several ones only by a key of one column. */
function walkTo({ table, connection, place }: UpdatePlan, paths: readonly string[]): Walk {
  const all = paths.map((path) => path.slice(place.databasePath.length + 1).split("/"));
  const segments = all[0]?.map((_, at) => all.map((each) => each[at]).join()) ?? [];
  return readKeyWalk(table, segments, { grammar: place.links.grammar, traits: connection.database.sql });
}

/** Returns a function that writes records in the spelling of the changed cells, or else of their columns. */
export function spellingOf(
  plan: Running<InsertPlan | UpdatePlan>,
  records: readonly ReadonlyMap<number, unknown>[],
): Eventual<(record: Assignments) => Assignments> {
  const { table, database: { sql } } = plan;
  // Reading a view may take long, and it may show other text than its table stores.
  if (!sql.spelled || table.kind === "view") return (record) => record;
  return readSpelling(plan, new Set(records.flatMap((record) => [...record.keys()])));
}

async function readSpelling(
  plan: Running<InsertPlan | UpdatePlan>,
  positions: ReadonlySet<number>,
): Promise<(record: Assignments) => Assignments> {
  const { table, walk, kind, database: { sql } } = plan;
  const spelled = [...positions].flatMap((position) => {
    const column = table.columns[position];
    const spell = column && sql.spelled?.(column);
    return spell ? [{ position, spell }] : [];
  });
  if (spelled.length === 0) return (record) => record;
  const columns = spelled.map(({ position }) => position).filter((each) => !keyBehind(each, table));
  const own = kind === "update" && columns.length > 0 ? await readCells(plan, walk, columns) : [];
  const isFound = own.length > 0 && columns.every((position, at) => {
    return own[0]?.[at] !== null && !isUnique(position, table);
  });
  const others = isFound || columns.length === 0 ? [] : await readCells(plan, rowsOf(table), columns);
  const spellings = new Map<number, (value: unknown) => unknown>();
  for (const { position, spell } of spelled) {
    const key = keyBehind(position, table);
    const rows = key ? await readCells(plan, rowsOf(key.table), [key.position]) : [...own, ...others];
    const at = key ? 0 : columns.indexOf(position);
    const cells = rows.map((row) => row[at]).filter((each) => each !== null);
    // The zeros that a longer one has would tell the new key from the same key.
    const [cell] = key || isUnique(position, table) ? cells.toSorted(byLength) : cells;
    spellings.set(position, (value) => spell(value, cell));
  }
  return (record) =>
    new Map(
      Array.from(record, ([at, value]) => [at, value === null ? null : spellings.get(at)?.(value) ?? value]),
    );
}

/** The column of a key that a column refers to: the engine may compare both by their spelling. */
function keyBehind(
  position: number,
  { toOne }: Table,
): { readonly table: Table; readonly position: number } | undefined {
  for (const { table, local, foreign } of toOne) {
    const key = foreign[local.indexOf(position)];
    if (key !== undefined && table.kind === "table") return { table, position: key };
  }
  return undefined;
}

function rowsOf(table: Table): Rows {
  return { steps: [{ table, filters: [], single: false }], key: table.segment, values: [] };
}

function isUnique(position: number, { primaryKey, uniqueKeys }: Table): boolean {
  return [primaryKey, ...uniqueKeys].some((key) => key.includes(position));
}

function byLength(one: unknown, other: unknown): number {
  return String(one).length - String(other).length;
}

type Rows = Pick<Walk, "steps" | "key" | "values">;

function readCells(
  plan: Running<InsertPlan | UpdatePlan>,
  rows: Rows,
  columns: readonly number[],
): Promise<readonly Row[]> {
  // Each spelling has the same meaning.
  return look(plan, plan.connection.writes.cells(rows, columns), rows.values, { isGlance: true });
}
