/**
 * Compares a change with the stored cells: values that they show already, and the spelling of new values.
 *
 * @module
 */

import { keep } from "@/core/base/weighted_cache.ts";
import type { Row, Value } from "@/core/model.ts";
import type { Table } from "@/core/schema/table.ts";
import type { Walk } from "@/core/schema/walk_path.ts";
import type { Statement } from "@/core/sql/statement.ts";
import type { InsertPlan, UpdatePlan } from "./plan_write.ts";
import { type Assignments, type Repeats, requireNone } from "./validate_body.ts";
import type { Outcome, Transaction } from "@/plugins/contract.ts";

/** The changes of a body. */
export interface Change {
  readonly record: Assignments;
  readonly repeats: Repeats;
  /** The parameter `csvNullStr`, which decides how NULL is shown. */
  readonly csvNullStr: boolean;
}

type Rows = Pick<Walk, "steps" | "key" | "values">;

/** Runs a statement whose slots are positions in `values`. */
export async function runWith(
  statement: Statement,
  values: readonly unknown[],
  transaction: Transaction,
): Promise<Outcome> {
  return await transaction.run(statement, statement.slots.map((slot) => values[slot]));
}

/**
 * Drops members that the locked record shows already. Throws 400 for values that are only valid if the record shows
 * them.
 */
export async function withoutRepeats(
  plan: UpdatePlan,
  { record, repeats, csvNullStr }: Change,
  transaction: Transaction,
): Promise<Assignments> {
  if (repeats.size === 0) return record;
  const { connection, walk, table, body: { format } } = plan;
  const columns = [...repeats.keys()];
  const key = `cells ${walk.key} ${columns.join()}`;
  const statement = keep(connection.writes, key, () => connection.statements.record({ ...walk, columns }));
  const { rows: [row] } = await runWith(statement, walk.values, transaction);
  const changed = new Map(record);
  const errors: string[] = [];
  for (const [at, [position, { given, complaint }]] of [...repeats].entries()) {
    const type = table.columns[position]?.type ?? "any";
    if (row && format.shows?.(row[at] as Value, given, { type, csvNullStr })) changed.delete(position);
    else if (complaint !== undefined) errors.push(complaint);
  }
  requireNone(errors);
  return changed;
}

/** Returns a function that writes records in the spelling of the changed cells, or else of their columns. */
export async function spellingOf(
  plan: InsertPlan | UpdatePlan,
  positions: readonly number[],
  transaction: Transaction,
): Promise<(record: Assignments) => Assignments> {
  const { table, walk, kind, database: { sql } } = plan;
  const spelled = positions.flatMap((position) => {
    const column = table.columns[position];
    const spell = column && sql.spelled?.(column);
    return spell ? [{ position, spell }] : [];
  });
  // Reading a view may take long, and it may show other text than its table stores.
  if (spelled.length === 0 || table.kind === "view") return (record) => record;
  const columns = spelled.map(({ position }) => position);
  const own = kind === "update" ? await readCells(plan, walk, columns, transaction) : [];
  const isFound = own.length > 0 && columns.every((_, at) => own[0]?.[at] !== null);
  const others = isFound ? [] : await readCells(plan, wholeOf(table), columns, transaction);
  const spellings = new Map(spelled.map(({ position, spell }, at) => {
    const cell = [...own, ...others].map((row) => row[at]).find((each) => each !== null);
    return [position, (value: unknown) => spell(value, cell)];
  }));
  return (record) =>
    new Map(
      Array.from(record, ([at, value]) => [at, value === null ? null : spellings.get(at)?.(value) ?? value]),
    );
}

function wholeOf(table: Table): Rows {
  return { steps: [{ table, filters: [], single: false }], key: table.name, values: [] };
}

/** Reads the stored cells of some rows. */
async function readCells(
  { connection }: InsertPlan | UpdatePlan,
  { steps, key, values }: Rows,
  columns: readonly number[],
  transaction: Transaction,
): Promise<readonly Row[]> {
  const statement = keep(
    connection.writes,
    `spelling ${key} ${columns.join()}`,
    () => connection.statements.cells(steps, columns),
  );
  return (await runWith(statement, values, transaction)).rows;
}
