/**
 * Updates and deletes records, after checking their preconditions.
 *
 * @module
 */

import { badRequest, notFound, quote, ServiceError } from "@/core/errors.ts";
import { ambiguousKey } from "./execute_read.ts";
import { hashRecord, matchesRecord } from "./etag.ts";
import { keep } from "@/core/base/weighted_cache.ts";
import type { Value } from "@/core/model.ts";
import type { DeletePlan, UpdatePlan } from "./plan_write.ts";
import type { Table } from "@/core/schema/table.ts";
import { type Change, runWith, spellingOf, withoutRepeats } from "./stored_cells.ts";
import type { Assignments } from "./validate_body.ts";
import type { Outcome, Transaction } from "@/plugins/contract.ts";

/** Updates all records of the path. */
export async function update(
  plan: UpdatePlan,
  change: Change,
  transaction: Transaction,
): Promise<void> {
  if (change.record.size === 0 && change.repeats.size === 0) {
    throw badRequest("Cannot change nothing: the body names no column");
  }
  await requireBefore(plan, transaction);
  let changes = 0;
  for (const { walk, record } of await withoutRepeats(plan, change, transaction)) {
    const part = { ...plan, walk };
    const changed = await withoutFixed(part, record, transaction);
    const spell = await spellingOf(part, [...changed.keys()], transaction);
    changes += (await apply(part, spell(changed), transaction)).changes;
  }
  await requireChange(plan, { rows: [], changes }, transaction);
}

/**
 * Drops identity columns that keep their value. A different value stays, and the database refuses it with its own
 * message.
 */
async function withoutFixed(
  plan: UpdatePlan,
  record: Assignments,
  transaction: Transaction,
): Promise<Assignments> {
  const { table, database, connection, walk } = plan;
  // A view's key may be an identity column of its base table; the catalog does not say.
  const isFixed = (position: number) => {
    return table.columns[position]?.identity === true ||
      (table.kind === "view" && table.primaryKey.includes(position));
  };
  const fixed = [...record.keys()].filter(isFixed);
  if (fixed.length === 0 || !database.sql.fixesIdentity) return record;
  const statement = keep(
    connection.writes,
    `values ${walk.key} ${fixed.join()}`,
    () => connection.statements.values(walk.steps, fixed),
  );
  const { rows } = await runWith(statement, walk.values, transaction);
  const [row, ...others] = rows;
  const isKept = others.length === 0 && fixed.every((position, at) => {
    return row === undefined || storedText(plan, position, row[at] as Value) === String(record.get(position));
  });
  return isKept ? new Map([...record].filter(([position]) => !fixed.includes(position))) : record;
}

function storedText({ table, database }: UpdatePlan, position: number, value: Value): string {
  const column = table.columns[position];
  return String(column && database.sql.stored ? database.sql.stored(value, column) : value);
}

async function apply(plan: UpdatePlan, changes: Assignments, transaction: Transaction): Promise<Outcome> {
  const { connection, walk } = plan;
  if (changes.size === 0) {
    const { rows } = await runWith(connection.statements.exists(walk.steps), walk.values, transaction);
    return { rows: [], changes: rows.length };
  }
  const positions = [...changes.keys()];
  const statement = keep(
    connection.writes,
    `update ${walk.key} ${positions.join()}`,
    () => connection.writeStatements.update(walk, positions),
  );
  return await runWith(statement, [...walk.values, ...changes.values()], transaction);
}

/** Deletes all records of the path. */
export async function remove(plan: DeletePlan, transaction: Transaction): Promise<void> {
  const { connection, walk } = plan;
  await requireBefore(plan, transaction);
  const statement = keep(
    connection.writes,
    `delete ${walk.key}`,
    () => connection.writeStatements.delete(walk),
  );
  await requireChange(plan, await runWith(statement, walk.values, transaction), transaction);
}

/** Without a changed row: 404 for a single record, and for a list below a missing one. A filter may match nothing. */
async function requireChange(
  plan: UpdatePlan | DeletePlan,
  { changes }: Outcome,
  transaction: Transaction,
): Promise<void> {
  const { walk, table, connection } = plan;
  if (changes > 1 && walk.last.single && hasLooseKey(table)) throw ambiguousKey(table.name, changes);
  // An engine does not count changes by triggers of a view; the existence of the record was checked before.
  if (changes > 0 || table.kind === "view") return;
  if (walk.last.single) {
    const { rows } = await runWith(connection.statements.exists(walk.steps), walk.values, transaction);
    throw rows.length === 0 ? missing(table) : keptBack(plan);
  }
  const origin = walk.steps.findLastIndex((step) => step.single);
  if (origin < 0) return;
  const statement = connection.statements.exists(walk.steps.slice(0, origin + 1));
  const { rows } = await runWith(statement, walk.values, transaction);
  if (rows.length === 0) throw missing(walk.steps[origin]?.table ?? table);
  return;
}

function hasLooseKey({ columns, primaryKey }: Table): boolean {
  return primaryKey.some((position) => columns[position]?.loose === true);
}

function missing(table: Table): ServiceError {
  return notFound(`Cannot find a record of table ${quote(table.name)} with this key`);
}

/** A trigger can silently keep a record unchanged. */
function keptBack({ kind, table }: UpdatePlan | DeletePlan): ServiceError {
  const what = `a rule of the database kept the record of table ${quote(table.name)} as it was`;
  return kind === "update"
    ? new ServiceError("update-conflict", `Commit failed during update: ${what}`)
    : new ServiceError("conflict", `The database refuses this: ${what}`);
}

/**
 * The preconditions of a change: the record of a view exists, and a record has not changed since the caller read it.
 */
async function requireBefore(plan: UpdatePlan | DeletePlan, transaction: Transaction): Promise<void> {
  const { walk, table, connection } = plan;
  if (table.kind === "view" && walk.last.single) {
    const { rows } = await runWith(connection.statements.exists(walk.steps), walk.values, transaction);
    if (rows.length === 0) throw missing(table);
  }
  await requireMatch(plan, transaction);
}

/** Compares the present record, inside the transaction, with the version that the caller has seen. */
async function requireMatch(plan: UpdatePlan | DeletePlan, transaction: Transaction): Promise<void> {
  const { condition, connection, walk, table } = plan;
  if (!condition) return;
  const statement = connection.statements.record(walk);
  const { rows } = await runWith(statement, walk.values, transaction);
  const [row] = rows;
  if (!row) throw missing(table);
  const record = hashRecord(row);
  if (condition.match && !matchesRecord(condition.match, record)) throw changedSince(table);
  if (condition.noneMatch && matchesRecord(condition.noneMatch, record)) throw isThere(table);
}

function changedSince({ name }: Table): ServiceError {
  return new ServiceError(
    "precondition-failed",
    `The record of table ${
      quote(name)
    } has been changed since it was read: read it again, then repeat the change`,
  );
}

function isThere({ name }: Table): ServiceError {
  return new ServiceError(
    "precondition-failed",
    `The record of table ${
      quote(name)
    } is what If-None-Match says it must not be: leave that header out to change it`,
  );
}
