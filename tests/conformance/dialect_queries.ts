/**
 * Statements of the dialect suite, made as the service makes them: by Kysely, with the dialect's own compiler.
 *
 * @module
 */

import { type Compilable, DummyDriver, type Expression, Kysely, SqliteIntrospector } from "kysely";
import type { Column, Prepared, Row, Run, ValueType } from "@/plugins/contract.ts";
import type { DialectUnderTest } from "./dialect.ts";

// deno-lint-ignore no-explicit-any -- Kysely's own word for "tables that are only known at run time"
type AnyTables = any;

/** A signal that is never aborted. */
export const NEVER: AbortSignal = new AbortController().signal;

export function builder({ database }: DialectUnderTest): Kysely<AnyTables> {
  return new Kysely<AnyTables>({
    dialect: {
      createAdapter: () => database.sql.createAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => database.sql.createQueryCompiler(),
    },
  });
}

/** A statement whose columns have these types, ready to run. */
export function toRun(
  { database }: DialectUnderTest,
  query: Compilable,
  columns: readonly (ValueType | Column)[],
): Run {
  const { sql, parameters } = query.compile();
  return { prepared: prepareText({ database }, sql, columns), parameters };
}

export function prepareText(
  { database }: Pick<DialectUnderTest, "database">,
  sql: string,
  columns: readonly (ValueType | Column)[],
): Prepared {
  return database.prepare({
    sql,
    columns: columns.map((column) =>
      typeof column === "string" ? { type: column, declaredType: "" } : column
    ),
  });
}

export async function rowsOf(
  opened: DialectUnderTest,
  query: Compilable,
  columns: readonly (ValueType | Column)[],
): Promise<readonly Row[]> {
  const [rows] = await opened.database.read([toRun(opened, query, columns)], { signal: NEVER });
  return rows ?? [];
}

export async function columnsOf({ database }: DialectUnderTest, table: string): Promise<readonly Column[]> {
  const { tables } = await database.catalog();
  const found = tables.find(({ name }) => name === table);
  if (!found) throw new Error(`The database has no table "${table}"`);
  return found.columns;
}

/** What a filter on this column compares. */
export function compared(
  { database }: DialectUnderTest,
  reference: Expression<unknown>,
  column: Column,
): Expression<unknown> {
  return database.sql.comparable?.(reference, column) ?? reference;
}
