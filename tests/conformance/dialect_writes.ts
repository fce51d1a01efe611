/**
 * Writing statements of the dialect suite, bound as the service binds them.
 *
 * @module
 */

import type { Compilable } from "kysely";
import type { Cell, Outcome, Row, StatementText, Transaction, Value, ValueType } from "@/plugins/contract.ts";
import type { DialectUnderTest } from "./dialect.ts";
import { KIND_COLUMNS } from "./dialect_kinds.ts";
import { builder, columnsOf, NEVER, rowsOf } from "./dialect_queries.ts";

/** A row of `kinds` without its id. */
export type Kinds = readonly Value[];

/** Runs a statement whose result has columns of these types. */
export function write(
  transaction: Transaction,
  query: Compilable,
  columns: readonly ValueType[] = [],
): Promise<Outcome> {
  const { sql, parameters } = query.compile();
  return transaction.run(textOf(sql, columns), parameters);
}

export function textOf(sql: string, columns: readonly ValueType[] = []): StatementText {
  return { sql, columns: columns.map((type) => ({ type, declaredType: "" })) };
}

/** Begins, works and commits. */
export async function inTransaction<T>(
  { database }: DialectUnderTest,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  await using transaction = await database.begin({ signal: NEVER });
  const result = await work(transaction);
  await transaction.commit();
  return result;
}

export function insertOwner(
  opened: DialectUnderTest,
  owner: { id?: number; code: string | null },
): Compilable {
  return builder(opened).insertInto("owner").values(owner);
}

/** The codes of all owners, in order. */
export async function codesOf(opened: DialectUnderTest): Promise<Cell[]> {
  const rows = await rowsOf(opened, builder(opened).selectFrom("owner").select("code").orderBy("code"), [
    "text",
  ]);
  return rows.map(([code]) => code ?? null);
}

/** Rows of `kinds` as objects that a query builder takes, their values bound for storing. */
export async function storedKinds(
  opened: DialectUnderTest,
  rows: readonly Kinds[],
): Promise<Record<string, unknown>[]> {
  const columns = await columnsOf(opened, "kinds");
  const { stored } = opened.database.sql;
  return rows.map((row) =>
    Object.fromEntries(KIND_COLUMNS.map((name, at) => {
      const column = columns.find((each) => each.name === name);
      const value = row[at] ?? null;
      return [name, column && stored ? stored(value, column) : value];
    }))
  );
}

/** Rows of `kinds` from this id on, without ids; decimals as text. */
export async function readKindsFrom(opened: DialectUnderTest, id: number): Promise<readonly Row[]> {
  const columns = await columnsOf(opened, "kinds");
  const query = builder(opened).selectFrom("kinds").select([...KIND_COLUMNS]).where("id", ">=", id).orderBy(
    "id",
  );
  const rows = await rowsOf(opened, query, columns.filter(({ name }) => name !== "id"));
  const decimal = KIND_COLUMNS.indexOf("a_decimal");
  return rows.map((row) => row.map((cell, at) => at === decimal && cell !== null ? String(cell) : cell));
}
