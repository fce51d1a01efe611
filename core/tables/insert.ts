/**
 * Creates records: adds the values of the path, and inserts as many as possible with one statement.
 *
 * @module
 */

import { badRequest, notFound, quote } from "@/core/errors.ts";
import { keep } from "@/core/base/weighted_cache.ts";
import type { Row, Value } from "@/core/model.ts";
import { contradiction, type InsertPlan } from "./plan_write.ts";
import type { Table } from "@/core/schema/table.ts";
import { locator } from "./answer_shape.ts";
import { inTurns } from "@/core/base/cooperative.ts";
import { runWith, spellingOf } from "./stored_cells.ts";
import type { Assignments } from "./validate_body.ts";
import { allPositions } from "@/core/sql/statement.ts";
import { fillerOf } from "@/core/sql/insert_update_delete.ts";
import type { Outcome, SqlTraits, Transaction } from "@/plugins/contract.ts";

/** Rows in one INSERT: above some hundred there is no gain, and the text of the statement grows. */
const MAX_ROWS = 500;

/** Columns whose value comes from the path. */
export function suppliedColumns({ filtered, parent }: InsertPlan): ReadonlySet<number> {
  return new Set([...filtered.keys(), ...(parent?.relation.foreign ?? [])]);
}

/** Creates the records; returns their paths without extension, null without a key. */
export async function insert(
  plan: InsertPlan,
  records: readonly Assignments[],
  transaction: Transaction,
): Promise<readonly (string | null)[]> {
  const inherited = await inheritedValues(plan, transaction);
  const spell = await spellingOf(plan, allPositions(plan.table), transaction);
  const complete = (record: Assignments) => spell(complement(plan, record, inherited));
  const batches = await inTurns(batchesOf(plan, records, complete));
  const paths = new Array<string | null>(records.length).fill(null);
  for (const batch of batches) {
    const created = await insertBatch(plan, batch, transaction);
    for (const [at, index] of batch.indexes.entries()) paths[index] = created[at] ?? null;
  }
  return paths;
}

/** The foreign key that new records inherit from the record before the last relation. */
async function inheritedValues(plan: InsertPlan, transaction: Transaction): Promise<Assignments> {
  const { parent, connection, walk, table } = plan;
  if (!parent) return new Map();
  const statement = connection.statements.values(parent.steps, parent.relation.local);
  const { rows } = await runWith(statement, walk.values, transaction);
  const [row, ...others] = rows;
  if (!row) {
    throw notFound(`Cannot find the record that the new ${quote(table.name)} would belong to`);
  }
  if (others.length > 0) {
    throw badRequest(`Cannot create here: the path leads to more than one record to belong to`);
  }
  return new Map(parent.relation.foreign.map((position, index) => {
    return [position, stored(plan, position, row[index] as Value)];
  }));
}

/** A record with the values of its path. Body, filters and foreign key may repeat but not contradict each other. */
function complement(plan: InsertPlan, record: Assignments, inherited: Assignments): Assignments {
  const { walk, filtered, table } = plan;
  if (filtered.size === 0 && inherited.size === 0) return record;
  const complete = new Map<number, unknown>();
  for (const [position, slot] of filtered) {
    complete.set(position, stored(plan, position, walk.plain[slot] ?? null));
  }
  for (const [position, value] of record) complete.set(position, value);
  for (const [position, value] of inherited) {
    if (complete.has(position) && String(complete.get(position)) !== String(value)) {
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

/** Complete records grouped by their columns, as many per batch as one statement takes. */
function* batchesOf(
  plan: InsertPlan,
  records: readonly Assignments[],
  complete: (record: Assignments) => Assignments,
): Generator<undefined, readonly Batch[], void> {
  const { table, connection } = plan;
  const completed: Assignments[] = [];
  for (const record of records) {
    completed.push(complete(record));
    yield;
  }
  const batches: Batch[] = [];
  for (const { positions, indexes } of yield* groupsOf(completed, isOrdered(table))) {
    for (const part of chunks(indexes, batchSize(table, positions, connection.database.sql))) {
      batches.push({ positions, indexes: part, records: part.flatMap((index) => completed[index] ?? []) });
      yield;
    }
  }
  return batches;
}

/** Whether a record may refer to an earlier one. */
function isOrdered(table: Table): boolean {
  return table.toOne.some((relation) => relation.table.name === table.name);
}

/** Number of records in one statement. The key of each record must be known afterwards. */
function batchSize(table: Table, positions: readonly number[], sql: SqlTraits): number {
  const isKnown = (position: number) => {
    return positions.includes(position) || table.columns[position]?.identity === true;
  };
  if (sql.ordersInserts === false && !table.primaryKey.every(isKnown)) return 1;
  if (positions.length === 0) return fillerOf(table, sql) ? MAX_ROWS : 1;
  return Math.max(1, Math.min(MAX_ROWS, Math.floor(sql.maxParameters / positions.length)));
}

interface Group {
  readonly positions: readonly number[];
  readonly indexes: number[];
}

/** Records with the same columns; only neighbours if the order matters. */
function* groupsOf(
  records: readonly Assignments[],
  ordered: boolean,
): Generator<undefined, readonly Group[], void> {
  const groups: Group[] = [];
  const open = new Map<string, Group>();
  for (const [index, record] of records.entries()) {
    yield;
    const positions = [...record.keys()].toSorted((a, b) => a - b);
    const key = positions.join();
    const known = open.get(key);
    if (known) {
      known.indexes.push(index);
      continue;
    }
    if (ordered) open.clear();
    const group = { positions, indexes: [index] };
    open.set(key, group);
    groups.push(group);
  }
  return groups;
}

function chunks<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from(
    { length: Math.ceil(list.length / size) },
    (_, at) => list.slice(at * size, (at + 1) * size),
  );
}

async function insertBatch(
  plan: InsertPlan,
  { positions, records }: Batch,
  transaction: Transaction,
): Promise<readonly (string | null)[]> {
  const { table, connection, place } = plan;
  const key = `insert ${table.name} ${positions.join()} ${records.length}`;
  const statement = keep(
    connection.writes,
    key,
    () => connection.writeStatements.insert(table, positions, records.length),
  );
  const parameters = records.flatMap((record) => positions.map((position) => record.get(position) ?? null));
  const outcome = await transaction.run(statement, parameters);
  if (table.primaryKey.length === 0) return records.map(() => null);
  const locate = locator(table, place, table.primaryKey.map((_, index) => index));
  if (outcome.rows.length === records.length) return outcome.rows.map(locate);
  const given = keysOf(table, records, outcome).map(locate);
  if (outcome.rows.length === 0 && outcome.changes > 0) return given;
  // A trigger skipped records, and the engine does not say which: only returned keys that were given are certain.
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

/** A value of the path in the stored form. */
function stored({ connection, table }: InsertPlan, position: number, value: Value): unknown {
  const column = table.columns[position];
  const { sql } = connection.database;
  return column && sql.stored ? sql.stored(value, column) : value;
}
