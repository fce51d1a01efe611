/**
 * Columns that an engine never changes: what was read can be changed and sent back all the same.
 *
 * @module
 */

import { keep } from "@/core/base/weighted_cache.ts";
import { runWith } from "./update.ts";
import type { Value } from "@/core/model.ts";
import type { UpdatePlan } from "./plan_write.ts";
import type { Assignments } from "./validate_body.ts";
import type { Transaction } from "@/plugins/contract.ts";

/**
 * A change without the identity columns that keep their value by it. Another value is left to the database, which says in
 * its own words that it does not take it.
 */
export async function withoutFixed(
  plan: UpdatePlan,
  record: Assignments,
  transaction: Transaction,
): Promise<Assignments> {
  const { table, database, connection, walk } = plan;
  // Of a view nothing tells what its key is in the table behind it.
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
