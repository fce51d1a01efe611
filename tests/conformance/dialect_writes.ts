/**
 * Writing statements of the dialect suite, bound as the service binds them.
 *
 * @module
 */

import { type Compilable, type RawBuilder, sql } from "kysely";
import type {
  Cell,
  Insertion,
  Outcome,
  Row,
  StatementText,
  Transaction,
  Value,
  ValueType,
} from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import type { OpenedDialect } from "@/tests/conformance/dialect.ts";
import { KIND_COLUMNS } from "@/tests/conformance/dialect_kinds.ts";
import { builder, columnOf, columnsOf, rowsOf, selected } from "@/tests/conformance/dialect_queries.ts";

/** A row of `kinds` without its id. */
export type Kinds = readonly Value[];

/** Runs a statement whose result has columns of these types. */
export function write(
  transaction: Transaction,
  query: Compilable,
  columns: readonly ValueType[] = [],
): Promise<Outcome> {
  const { sql: text, parameters } = query.compile();
  return transaction.run(textOf(text, columns), parameters);
}

/** A statement in the engine's own words, with the types of its result's columns. */
export function textOf(text: string, columns: readonly ValueType[] = []): StatementText {
  return { sql: text, columns: columns.map((type) => ({ type, declaredType: "" })) };
}

/** Begins, works and commits. */
export async function inTransaction<T>(
  { database }: OpenedDialect,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  await using transaction = await database.begin({ signal: NEVER });
  const result = await work(transaction);
  await transaction.commit();
  return result;
}

/** Inserts a row into `owner`; without `id` the engine generates one. */
export function insertOwner(
  opened: OpenedDialect,
  owner: { readonly id?: number; readonly code: string | null },
): Compilable {
  return insertion(opened, "owner", [owner]);
}

/** Inserts like the service; returns the columns named in `keys`. The records have the same columns. */
export function insertion(
  opened: OpenedDialect,
  table: string,
  records: readonly Readonly<Record<string, unknown>>[],
  keys: readonly string[] = [],
): Compilable {
  const names = Object.keys(records[0] ?? {});
  const parts: Insertion = {
    table: sql.table(table),
    columns: names.map((name) => columnOf(opened, table, name)),
    rows: records.map((record) => names.map((name) => sql.val(record[name]))),
    keys: keys.map((name) => columnOf(opened, table, name)),
  };
  const { insert = insertReturning } = opened.database.sql;
  return { compile: () => insert(parts).compile(builder(opened)) };
}

/** The default of the contract. */
function insertReturning({ table, columns, rows, keys }: Insertion): RawBuilder<unknown> {
  const values = rows.map((row) => sql`(${sql.join(row)})`);
  const into = sql`insert into ${table} (${sql.join(columns.map(({ name }) => sql.id(name)))})`;
  const returning = keys.length > 0
    ? sql` returning ${sql.join(keys.map(({ name }) => sql.id(name)))}`
    : sql``;
  return sql`${into} values ${sql.join(values)}${returning}`;
}

/** The identities of inserted rows: given back, or counted from the first. */
export function identitiesOf({ rows, firstIdentity, identityStep = 1, changes }: Outcome): readonly number[] {
  if (rows.length > 0 || firstIdentity === undefined) return rows.map(([id]) => Number(id));
  return Array.from({ length: changes }, (_, at) => Number(firstIdentity) + at * Number(identityStep));
}

/** The codes of all owners, in order. */
export async function codesOf(opened: OpenedDialect): Promise<Cell[]> {
  const rows = await rowsOf(opened, builder(opened).selectFrom("owner").select("code").orderBy("code"), [
    "text",
  ]);
  return rows.map(([code]) => code ?? null);
}

/** Rows of `kinds` as records, their values bound for storing. */
export function storedKinds(
  opened: OpenedDialect,
  rows: readonly Kinds[],
): Readonly<Record<string, unknown>>[] {
  const { stored } = opened.database.sql;
  return rows.map((row) =>
    Object.fromEntries(KIND_COLUMNS.map((name, at) => {
      const value = row[at] ?? null;
      return [name, stored ? stored(value, columnOf(opened, "kinds", name)) : value];
    }))
  );
}

/** Rows of `kinds` by their ids, without ids; decimals as text without zeros at their ends. */
export async function readKindsWhere(
  opened: OpenedDialect,
  operator: "=" | ">=",
  id: number,
): Promise<readonly Row[]> {
  const columns = KIND_COLUMNS.map((name) => selected(opened, "kinds", name));
  const query = builder(opened).selectFrom("kinds").select(columns).where("id", operator, id).orderBy("id");
  const rows = await rowsOf(opened, query, columnsOf(opened, "kinds").filter(({ name }) => name !== "id"));
  return rows.map((row) => row.map((cell, at) => KIND_COLUMNS[at] === "a_decimal" ? digitsOf(cell) : cell));
}

/** A column with two decimals may show both. */
function digitsOf(cell: Cell): Cell {
  return cell === null ? null : String(cell).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
}
