/**
 * Creates records: adds the values of the path, and inserts as many as possible with one statement.
 *
 * @module
 */

import { inTurns } from "@/core/base/cooperative.ts";
import { badRequest, notFound, quote } from "@/core/errors.ts";
import type { Row, Value } from "@/core/model.ts";
import { isTextual } from "@/core/request/read_value.ts";
import { columnAt, type Table } from "@/core/schema/table.ts";
import { lastOf } from "@/core/sql/path_sql.ts";
import { fillerOf } from "@/core/sql/write_statements.ts";
import type { Outcome, SqlTraits } from "@/plugins/contract.ts";
import { locator } from "./answer_shape.ts";
import { contradiction, type InsertPlan } from "./plan_write.ts";
import { look, type Running, runStatement, storedValue } from "./run_write.ts";
import { spellingOf } from "./stored_cells.ts";
import type { Assignments } from "./validate_body.ts";

/** Rows in one INSERT: above some hundred there is no gain, and the text of the statement grows. */
const MAX_ROWS = 500;

/** Columns whose value comes from the path. */
export function suppliedColumns({ filtered, parent }: InsertPlan): ReadonlySet<number> {
  return new Set([...filtered.keys(), ...(parent?.relation.foreign ?? [])]);
}

const NONE: Assignments = new Map();

/**
 * How far an insertion has come. Engines refuse a statement with hundreds of records as a whole, most without
 * saying which of them it was: `singly` is the number of the statement that sends its records one by one.
 */
export class InsertCourse {
  /** The number of the statement that runs, from 0. */
  statement = -1;
  /** The record that is sent alone. */
  record: number | undefined;
  readonly singly: number | undefined;

  constructor(singly?: number) {
    this.singly = singly;
  }
}

/** Creates the records; returns their paths without extension, null without a key. */
export async function insert(
  plan: Running<InsertPlan>,
  records: readonly Assignments[],
  course: InsertCourse,
): Promise<readonly (string | null)[]> {
  const inherited = plan.parent ? await inheritedValues(plan, plan.parent) : NONE;
  const spelling = spellingOf(plan, [plan.filtered, inherited, ...records]);
  const spell = spelling instanceof Promise ? await spelling : spelling;
  const complete = (record: Assignments) => spell(complement(plan, record, inherited));
  const made = inTurns(batchesOf(plan, records, complete));
  const batches = made instanceof Promise ? await made : made;
  const paths = new Array<string | null>(records.length).fill(null);
  for (const [number, batch] of batches.entries()) {
    course.statement = number;
    const isSingly = number === course.singly;
    const isLast = batch === batches.at(-1) && plan.table.kind === "table" && !isSingly;
    for (const part of isSingly ? recordsOf(batch) : [batch]) {
      if (isSingly) course.record = part.indexes[0];
      const created = await insertBatch(plan, part, isLast);
      for (const [at, index] of part.indexes.entries()) paths[index] = created[at] ?? null;
    }
    course.record = undefined;
  }
  return paths;
}

/** The foreign key that new records inherit from the record before the last relation. */
async function inheritedValues(
  plan: Running<InsertPlan>,
  { steps, relation: { local, foreign } }: NonNullable<InsertPlan["parent"]>,
): Promise<Assignments> {
  const { walk, table, connection: { writes } } = plan;
  const [row, ...others] = await look(plan, writes.values(walk, steps, local), walk.values);
  if (!row) throw notFound(`Cannot find the record that the new ${quote(table.name)} would belong to`);
  if (others.length > 0) {
    throw badRequest(`Cannot create here: the path leads to more than one record to belong to`);
  }
  return new Map(foreign.map((position, index) => {
    const value = row[index] as Value;
    if (value !== null) return [position, storedValue(plan, position, value)];
    const [name, key] = [quote(table.name), quote(columnAt(lastOf(steps).table, local[index] ?? -1).name)];
    throw badRequest(`Cannot create here: ${key}, by which a ${name} belongs to its record, is NULL`);
  }));
}

/**
 * A record with the values of its path: the body goes before the filters, and must not contradict the foreign
 * key.
 */
function complement(plan: InsertPlan, record: Assignments, inherited: Assignments): Assignments {
  const { walk, filtered, table, parent } = plan;
  if (filtered.size === 0 && inherited.size === 0) return record;
  const complete = new Map<number, unknown>();
  for (const [position, slot] of filtered) {
    if (record.has(position)) continue;
    complete.set(position, storedValue(plan, position, walk.plain[slot] ?? null));
  }
  for (const [position, value] of record) complete.set(position, value);
  for (const [position, value] of inherited) {
    const given = complete.get(position);
    const written = walk.plain[parent?.written.get(position) ?? -1];
    const isWritten = given !== null && written !== undefined && String(given) === String(written);
    // A text is stored like the key: its column may tell letters apart that the key does not.
    if (isWritten && !isTextual(columnAt(table, position))) continue;
    if (!isWritten && given !== undefined && String(given) !== String(value)) {
      throw contradiction(table, position);
    }
    complete.set(position, value);
  }
  return complete;
}

/** Records with the same columns, and their positions in the body. */
interface Batch {
  readonly positions: readonly number[];
  readonly records: readonly Assignments[];
  readonly indexes: readonly number[];
}

/** A batch that further records may join. */
interface OpenBatch extends Batch {
  /** Number of records that one statement takes. */
  readonly most: number;
  readonly records: Assignments[];
  readonly indexes: number[];
}

/** Each record of a batch as a batch of its own. */
function recordsOf({ positions, records, indexes }: Batch): readonly Batch[] {
  return records.map((record, at) => ({ positions, records: [record], indexes: indexes.slice(at, at + 1) }));
}

/**
 * Complete records grouped by their columns; only neighbours if a record may refer to an earlier one. NULL
 * stands for a column without a default, so records with optional members share a statement, and their keys
 * are counted up in the order of the body.
 */
function* batchesOf(
  { table, database: { sql } }: InsertPlan,
  records: readonly Assignments[],
  complete: (record: Assignments) => Assignments,
): Generator<undefined, readonly Batch[], void> {
  const isOrdered = refersToItself(table);
  const optional = yield* optionalColumns(table, records);
  const batches: Batch[] = [];
  const open = new Map<string, OpenBatch>();
  for (const [index, given] of records.entries()) {
    yield;
    const record = complete(given);
    const positions = [...new Set([...record.keys(), ...optional])].toSorted((a, b) => a - b);
    const key = positions.join();
    const known = open.get(key);
    if (known && known.records.length < known.most) {
      known.records.push(record);
      known.indexes.push(index);
      continue;
    }
    if (isOrdered) open.clear();
    const batch = { positions, most: batchSize(table, positions, sql), records: [record], indexes: [index] };
    open.set(key, batch);
    batches.push(batch);
  }
  return batches;
}

/** Whether a record may refer to another one of the same body. */
export function refersToItself({ toOne, name }: Table): boolean {
  return toOne.some(({ table }) => table.name === name);
}

/** Columns of a body that are NULL in records that leave them out. The table behind a view may fill them. */
function* optionalColumns(
  { kind, columns }: Table,
  records: readonly Assignments[],
): Generator<undefined, readonly number[], void> {
  if (kind === "view") return [];
  const named = new Set<number>();
  for (const record of records) {
    yield;
    for (const position of record.keys()) named.add(position);
  }
  return [...named].filter((position) => {
    const column = columns[position];
    return column?.nullable === true && !column.hasDefault;
  });
}

/** Number of records in one statement. The key of each record must be known afterwards. */
export function batchSize(table: Table, positions: readonly number[], sql: SqlTraits): number {
  const isKnown = (position: number) => {
    return positions.includes(position) || table.columns[position]?.identity === true;
  };
  if (sql.ordersInserts === false && !table.primaryKey.every(isKnown)) return 1;
  if (positions.length === 0) return fillerOf(table, sql) ? MAX_ROWS : 1;
  return Math.max(1, Math.min(MAX_ROWS, Math.floor(sql.maxParameters / positions.length)));
}

async function insertBatch(
  plan: Running<InsertPlan>,
  { positions, records, indexes }: Batch,
  isLast: boolean,
): Promise<readonly (string | null)[]> {
  const statement = plan.connection.writes.insert(plan.table, positions, records.length);
  const outcome = await runStatement(plan, statement, valuesOf(plan, records, positions), {
    accepted: isLast ? {} : undefined,
    memberAt: (index) => {
      const [record, position] = [
        indexes[Math.floor(index / positions.length)],
        positions[index % positions.length],
      ];
      return record === undefined || position === undefined ? undefined : [record, position];
    },
  });
  return createdPaths(plan, records, outcome);
}

/** The values of an INSERT, record by record. */
export function valuesOf(
  plan: InsertPlan,
  records: readonly Assignments[],
  positions: readonly number[],
): readonly unknown[] {
  return records.flatMap((record) =>
    positions.map((position) => record.get(position) ?? storedValue(plan, position, null))
  );
}

/** The paths of inserted records without extension; null without a key, and for a record that was skipped. */
export function createdPaths(
  { table, place }: Pick<InsertPlan, "table" | "place">,
  records: readonly Assignments[],
  outcome: Outcome,
): readonly (string | null)[] {
  if (table.primaryKey.length === 0) return records.map(() => null);
  const locate = locator(table, place, table.primaryKey.map((_, index) => index));
  if (outcome.rows.length === records.length) return outcome.rows.map(locate);
  const given = keysOf(table, records, outcome).map(locate);
  if (outcome.rows.length === 0 && outcome.changes > 0) return given;
  // A trigger skipped records, and the engine does not say which: only returned
  // keys that were given are certain.
  const created = new Set(outcome.rows.map(locate));
  return given.map((path) => created.has(path) ? path : null);
}

/** The keys of new records as far as they were given or counted up, for engines that do not return rows. */
function keysOf(table: Table, records: readonly Assignments[], outcome: Outcome): readonly Row[] {
  const { firstIdentity, identityStep = 1 } = outcome;
  return records.map((record, index) =>
    table.primaryKey.map((position) => {
      if (record.has(position)) return record.get(position) as Value;
      const isCounted = table.columns[position]?.identity === true && firstIdentity !== undefined;
      return isCounted ? BigInt(firstIdentity) + BigInt(index) * BigInt(identityStep) : null;
    })
  );
}
