/**
 * Statements of the MySQL tests, as text.
 *
 * @module
 */

import type { Database, Row, StatementText, Transaction, ValueType } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";

/** The rows of one statement whose columns are of these types. */
export async function rowsOf(
  database: Database,
  sql: string,
  types: readonly ValueType[] = ["any"],
  signal: AbortSignal = NEVER,
): Promise<readonly Row[]> {
  const prepared = database.prepare(textOf(sql, types));
  const [rows = []] = await database.read([{ prepared, parameters: [] }], { signal });
  return rows;
}

/** A statement in MySQL's words, with the types of its result's columns. */
export function textOf(sql: string, types: readonly ValueType[] = []): StatementText {
  return { sql, columns: types.map((type) => ({ type, declaredType: "" })) };
}

/** Runs one statement in a separate transaction. */
export async function change(
  database: Database,
  sql: string,
  parameters: readonly unknown[] = [],
): Promise<void> {
  await using transaction = await database.begin({ signal: NEVER });
  await run(transaction, sql, parameters);
  await transaction.commit();
}

/** Runs a statement in a transaction and returns its rows. */
export async function run(
  transaction: Transaction,
  sql: string,
  parameters: readonly unknown[] = [],
): Promise<readonly Row[]> {
  return (await transaction.run(textOf(sql, ["any"]), parameters)).rows;
}
