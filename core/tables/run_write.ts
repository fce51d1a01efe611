/**
 * Runs the statements of a write within the transaction of its request, and converts values for them.
 *
 * @module
 */

import { refusalOf } from "@/core/database/explain_failure.ts";
import type { PendingTransaction } from "@/core/database/pending_transaction.ts";
import { badRecords, badRequest, quote } from "@/core/errors.ts";
import type { Row, Value } from "@/core/model.ts";
import { columnAt } from "@/core/schema/table.ts";
import { bindEach, type Statement } from "@/core/sql/statement.ts";
import type { Accepted, Outcome } from "@/plugins/contract.ts";
import { requireLength } from "./convert_value.ts";
import type { WritePlan } from "./plan_write.ts";
import { complaintOf } from "./validate_body.ts";

/** A plan within the transaction of its request. */
export type Running<P extends WritePlan> = P & {
  readonly transaction: PendingTransaction;
  /** The format of the body in messages; of a DELETE there is none. */
  readonly label?: string;
};

/** How a statement with values of a body runs. */
interface RunOptions {
  /** It is the last one: {@link PendingTransaction.finish}. */
  readonly accepted?: Accepted | undefined;
  /** The member that a value comes from: its record in the body, and its column. */
  memberAt?(index: number): readonly [record: number, position: number] | undefined;
}

/**
 * Runs a statement; its slots are positions in `values`. Throws 400 with the member whose value the engine
 * refuses, if it tells that.
 */
export function runStatement(
  plan: Running<WritePlan>,
  statement: Statement,
  values: readonly unknown[],
  { accepted, memberAt }: RunOptions,
): Promise<Outcome> {
  const { database, table, transaction, label = "" } = plan;
  const parameters = bindEach(statement.slots, (slot) => values[slot]);
  const running = accepted
    ? transaction.finish(statement, parameters, accepted)
    : transaction.run(statement, parameters);
  return running.catch((error: unknown) => {
    const refused = database.classify(error) === "invalid" ? database.refusedParameter?.(error) : undefined;
    const source = statement.slots[refused ?? -1];
    const [record, position = -1] = typeof source === "number" ? memberAt?.(source) ?? [] : [];
    const column = table.columns[position]?.name;
    if (record === undefined || column === undefined) throw error;
    const sentence = refusalOf(error, plan, parameters[refused ?? -1], column);
    throw badRecords([complaintOf(label, { record, column, sentence })], error);
  });
}

/** A value of the path as the column stores it. Throws 400 if the column would change it, or is too short. */
export function storedValue(
  { table, database: { sql } }: WritePlan,
  position: number,
  value: Value,
): unknown {
  const column = columnAt(table, position);
  try {
    if (typeof value === "string") requireLength(value, column);
    return sql.stored ? sql.stored(value, column) : value;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw badRequest(`The path gives ${quote(column.name)} a value that it cannot keep: ${error.message}`);
  }
}

/** The rows of a statement that only reads. A glance may be out of date when the change is done. */
export async function look(
  { transaction }: Running<WritePlan>,
  statement: Statement,
  values: readonly unknown[],
  options: { readonly isGlance?: boolean } = {},
): Promise<readonly Row[]> {
  return await transaction.look(statement, bindEach(statement.slots, (slot) => values[slot]), options);
}
