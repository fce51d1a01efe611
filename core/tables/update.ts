/**
 * Updates and deletes records, after checking their preconditions.
 *
 * @module
 */

import { Outdated } from "@/core/database/pending_transaction.ts";
import { badRequest, notFound, quote, ServiceError } from "@/core/errors.ts";
import type { Value } from "@/core/model.ts";
import type { Table } from "@/core/schema/table.ts";
import type { Step } from "@/core/schema/walk_path.ts";
import type { Accepted } from "@/plugins/contract.ts";
import { originSteps } from "./compile_read.ts";
import { hashRecord, matchesRecord } from "./etag.ts";
import { ambiguousKey } from "./execute_read.ts";
import { missingRecord } from "./missing_record.ts";
import type { DeletePlan, UpdatePlan } from "./plan_write.ts";
import { look, type Running, runStatement, storedValue } from "./run_write.ts";
import { type Change, spellingOf, withoutRepeats } from "./stored_cells.ts";
import type { Assignments } from "./validate_body.ts";

/** Updates all records of the path. */
export async function update(plan: Running<UpdatePlan>, change: Change): Promise<void> {
  if (change.record.size === 0 && change.repeats.size === 0) {
    throw badRequest("Cannot change anything: the body names no column");
  }
  await requireBefore(plan);
  let changes = 0;
  const parts = await withoutRepeats(plan, change);
  for (const { walk, record } of parts) {
    const part = { ...plan, walk };
    const changed = await withoutFixed(part, record);
    const spell = await spellingOf(part, [changed]);
    changes += await apply(part, spell(changed), parts.length === 1 ? acceptedOf(plan) : undefined);
  }
  await requireChange(plan, changes);
}

/** Drops identity columns that keep their value. A different value stays, and the database refuses it. */
async function withoutFixed(plan: Running<UpdatePlan>, record: Assignments): Promise<Assignments> {
  const { table, database, walk, connection: { writes } } = plan;
  // A view's key may be an identity column of its base table; the catalog does not say.
  const isFixed = (position: number) => {
    if (table.kind === "view") return table.primaryKey.includes(position);
    return database.sql.fixesIdentity === true && table.columns[position]?.identity === true;
  };
  const fixed = [...record.keys()].filter(isFixed);
  if (fixed.length === 0) return record;
  const [row, ...others] = await look(plan, writes.values(walk, walk.steps, fixed), walk.values);
  const isKept = others.length === 0 && fixed.every((position, at) => {
    return row === undefined ||
      String(storedValue(plan, position, row[at] as Value)) === String(record.get(position));
  });
  return isKept ? new Map([...record].filter(([position]) => !fixed.includes(position))) : record;
}

/** Returns the number of changed records. */
async function apply(
  plan: Running<UpdatePlan>,
  changes: Assignments,
  accepted: Accepted | undefined,
): Promise<number> {
  const { walk } = plan;
  if (changes.size === 0) return await countOf(plan, walk.steps);
  const positions = [...changes.keys()];
  const statement = plan.connection.writes.update(walk, positions);
  const outcome = await runStatement(plan, statement, [...walk.values, ...changes.values()], {
    accepted,
    memberAt: (index) => {
      const position = positions[index - walk.values.length];
      return position === undefined ? undefined : [0, position];
    },
  });
  return outcome.changes;
}

/**
 * The numbers of changed records that {@link requireChange} accepts. Zero of a table without rules leaves
 * nothing to undo. Undefined for lists, which may take long, and for views, whose changes an engine does not
 * count.
 */
function acceptedOf({ walk, table }: UpdatePlan | DeletePlan): Accepted | undefined {
  if (!walk.last.single || table.kind === "view") return undefined;
  return { least: table.withoutRules ? undefined : 1, most: mayShareKey(table) ? 1 : undefined };
}

/** Deletes all records of the path. */
export async function remove(plan: Running<DeletePlan>): Promise<void> {
  const { walk } = plan;
  await requireBefore(plan);
  const statement = plan.connection.writes.delete(walk);
  const { changes } = await runStatement(plan, statement, walk.values, { accepted: acceptedOf(plan) });
  await requireChange(plan, changes);
}

/** Number of records that the first steps of the walk lead to. */
async function countOf(plan: Running<UpdatePlan | DeletePlan>, steps: readonly Step[]): Promise<number> {
  const { walk, connection: { writes } } = plan;
  const rows = await look(plan, writes.exists(walk, steps), walk.values);
  return rows.length;
}

/**
 * Without a changed row: 404 for a single record, and for a list below a missing
 * one. A filter may match nothing.
 */
async function requireChange(plan: Running<UpdatePlan | DeletePlan>, changes: number): Promise<void> {
  const { walk, table } = plan;
  if (changes > 1 && walk.last.single && mayShareKey(table)) throw ambiguousKey(table.name, changes);
  // An engine does not count changes by triggers of a view; the existence of the record was checked before.
  if (changes > 0 || table.kind === "view") return;
  const origin = originSteps(walk);
  if (origin.length === 0) return;
  if (await countOf(plan, origin) === 0) throw missing(origin);
  if (!walk.last.single) return;
  if (!plan.transaction.isRepeated) throw new Outdated("The record may have come since the change");
  throw keptBack(plan);
}

/**
 * Several records may have one key: cells of several types on SQLite, a key that
 * only the definition declares, or tables that inherit it.
 */
function mayShareKey({ kind, columns, primaryKey, hasOwnKey }: Table): boolean {
  return kind === "table" && !hasOwnKey || primaryKey.some((position) => {
    return columns[position]?.loose === true || columns[position]?.type === "any";
  });
}

function missing(steps: readonly Step[]): ServiceError {
  return notFound(missingRecord(steps));
}

/** A trigger can silently keep a record unchanged. */
function keptBack({ kind, table }: UpdatePlan | DeletePlan): ServiceError {
  const what = `a rule of the database kept the record of table ${quote(table.name)} as it was`;
  return kind === "update"
    ? new ServiceError("update-conflict", `Commit failed during update: ${what}`)
    : new ServiceError("conflict", `The database refuses this: ${what}`);
}

/**
 * The preconditions: the record of a view exists, and a record is still the version that the caller has seen.
 */
async function requireBefore(plan: Running<UpdatePlan | DeletePlan>): Promise<void> {
  const { match, noneMatch, walk, table, connection: { writes } } = plan;
  if (table.kind === "view" && walk.last.single && await countOf(plan, walk.steps) === 0) {
    throw missing(walk.steps);
  }
  if (!match && !noneMatch) return;
  const [row] = await look(plan, writes.record(walk), walk.values);
  if (!row) throw missing(walk.steps);
  const record = hashRecord(row);
  if (match && !matchesRecord(match, record)) {
    throw unmet(table, "has been changed since it was read: read it again, then repeat the change");
  }
  if (noneMatch && matchesRecord(noneMatch, record)) {
    throw unmet(table, "is what If-None-Match says it must not be: leave that header out to change it");
  }
}

function unmet({ name }: Table, why: string): ServiceError {
  return new ServiceError("precondition-failed", `The record of table ${quote(name)} ${why}`);
}
