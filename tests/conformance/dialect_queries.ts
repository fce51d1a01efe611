/**
 * Statements of the dialect suite, made as the service makes them: by Kysely,
 * with the dialect's own compiler.
 *
 * @module
 */

import assert from "node:assert/strict";
import {
  type AliasedExpression,
  type Compilable,
  DummyDriver,
  type Expression,
  Kysely,
  sql,
  SqliteIntrospector,
} from "kysely";
import type { Column, Prepared, Row, Run, ValueType } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import type { OpenedDialect } from "@/tests/conformance/dialect.ts";

// deno-lint-ignore no-explicit-any -- Kysely's own word for "tables that are only known at run time"
type AnyTables = any;

type Connected = Pick<OpenedDialect, "database">;

/** Builds and compiles queries; it cannot run any. */
export function builder({ database }: Connected): Kysely<AnyTables> {
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
  { database }: Connected,
  query: Compilable,
  columns: readonly (ValueType | Column)[],
): Run {
  const { sql: text, parameters } = query.compile();
  return { prepared: prepareText({ database }, text, columns), parameters };
}

/** Prepares a text in the engine's own words. Columns are told by their types, or as the catalog has them. */
export function prepareText(
  { database }: Connected,
  text: string,
  columns: readonly (ValueType | Column)[],
): Prepared {
  return database.prepare({
    sql: text,
    columns: columns.map((column) =>
      typeof column === "string" ? { type: column, declaredType: "" } : column
    ),
  });
}

/** Runs one query and returns its rows. */
export async function rowsOf(
  opened: Connected,
  query: Compilable,
  columns: readonly (ValueType | Column)[],
): Promise<readonly Row[]> {
  const [rows] = await opened.database.read([toRun(opened, query, columns)], { signal: NEVER });
  assert.ok(rows?.every((row) => Array.isArray(row)), "the rows of a statement are lists of cells");
  return rows;
}

/** The columns of a table as the catalog has them. Throws for a table that is not there. */
export function columnsOf({ columns }: Pick<OpenedDialect, "columns">, table: string): readonly Column[] {
  const found = columns.get(table);
  if (!found) throw new Error(`The database has no table "${table}"`);
  return found;
}

/** The column with this name. Throws for an unknown column. */
export function columnOf(opened: Pick<OpenedDialect, "columns">, table: string, name: string): Column {
  const found = columnsOf(opened, table).find((column) => column.name === name);
  if (!found) throw new Error(`Table "${table}" has no column "${name}"`);
  return found;
}

/** A column as a list selects it. */
export function selected(
  opened: OpenedDialect,
  table: string,
  name: string,
): AliasedExpression<unknown, string> {
  const reference = sql.ref(name);
  const { selectable } = opened.database.sql;
  return (selectable ? sql`${selectable(reference, columnOf(opened, table, name))}` : reference).as(name);
}

/** The compared expression of a filter on this column. */
export function compared(
  { database }: Connected,
  reference: Expression<unknown>,
  column: Column,
): Expression<unknown> {
  return database.sql.comparable?.(reference, column) ?? reference;
}
