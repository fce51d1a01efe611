/**
 * Statements that write: built once for a shape, and run with the values of a request.
 *
 * @module
 */

import type { Connection } from "@/core/database/connect.ts";
import type { Statement } from "@/core/sql/statement.ts";
import type { Outcome, Transaction } from "@/plugins/contract.ts";

/** Runs a statement whose slots are positions in `values`. */
export async function runWith(
  statement: Statement,
  values: readonly unknown[],
  transaction: Transaction,
): Promise<Outcome> {
  return await transaction.run(statement, statement.slots.map((slot) => values[slot]));
}

/** The statement of a shape that was seen before, or a new one. */
export function keep(
  { connection: { writes } }: { readonly connection: Connection },
  key: string,
  build: () => Statement,
): Statement {
  const known = writes.get(key);
  if (known) return known;
  const statement = build();
  writes.set(key, statement, statement.sql.length);
  return statement;
}
