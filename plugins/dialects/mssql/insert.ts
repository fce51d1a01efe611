/**
 * Statements that insert rows and return their keys.
 *
 * OUTPUT needs INTO if the table has triggers, and does not preserve the order of several rows. So each row
 * whose key is returned is inserted separately, all in one batch and one round trip; its number in the table
 * variable preserves the order, whatever generates the keys.
 *
 * @module
 */

import { type RawBuilder, sql } from "kysely";
import type { Column, Insertion } from "@/plugins/contract.ts";
import { parseType } from "@/plugins/kit/type_detail.ts";
import { selectable } from "./expressions.ts";

/** Inserts the rows of an insertion in their order. */
export function insert(insertion: Insertion): RawBuilder<unknown> {
  const { columns, table } = insertion;
  const statements = statementsFor(insertion);
  if (!columns.some(({ identity }) => identity)) return join(statements);
  return join([sql`set identity_insert ${table} on`, ...statements, sql`set identity_insert ${table} off`]);
}

type Statements = readonly RawBuilder<unknown>[];

function statementsFor(insertion: Insertion): Statements {
  const { table, columns, rows, keys } = insertion;
  const [only, ...others] = keys;
  if (columns.length === 0 && only?.identity && others.length === 0) return defaultsWithIdentity(table, only);
  if (only === undefined) return [insertInto(insertion, { into: sql``, rows })];
  const isGiven = others.length === 0 && only.identity === true &&
    columns.some(({ name }) => name === only.name);
  const single = rows.length > 0 && columns.length > 0 ? rows.map((row) => [row]) : [[]];
  const inserts = single.flatMap((each, at) => {
    if (!isGiven) return [insertInto(insertion, { into: outputInto(keys, at), rows: each })];
    // SQL Server could use OUTPUT here, Babelfish could not.
    const keep = sql`insert into @keys values (${sql.lit(at)}, scope_identity())`;
    return [insertInto(insertion, { into: sql``, rows: each }), keep];
  });
  return [declaration(keys), ...inserts, selection(keys)];
}

interface Inserted {
  readonly into: RawBuilder<unknown>;
  readonly rows: Insertion["rows"];
}

function insertInto({ table, columns }: Insertion, { into, rows }: Inserted): RawBuilder<unknown> {
  if (columns.length === 0) return sql`insert into ${table}${into} default values`;
  const names = sql.join(columns.map(({ name }) => sql.id(name)));
  const values = sql.join(rows.map((row) => sql`(${sql.join(row)})`));
  return sql`insert into ${table} (${names})${into} values ${values}`;
}

/** A row of defaults needs no table variable for its key. */
function defaultsWithIdentity(table: RawBuilder<unknown>, key: Column): Statements {
  const made = sql`convert(${sql.raw(keyType(key))}, scope_identity())`;
  return [
    sql`insert into ${table} default values`,
    sql`select ${selectable(made, key)} as ${sql.id(key.name)}`,
  ];
}

function declaration(keys: readonly Column[]): RawBuilder<unknown> {
  const columns = keys.map((key, at) => sql`${keyName(at)} ${sql.raw(keyType(key))}`);
  return sql`declare @keys table (n int primary key, ${sql.join(columns)})`;
}

function outputInto(keys: readonly Column[], at: number): RawBuilder<unknown> {
  const made = [sql.lit(at), ...keys.map(({ name }) => sql`inserted.${sql.id(name)}`)];
  const names = [sql.raw("n"), ...keys.map((_, at) => keyName(at))];
  return sql` output ${sql.join(made)} into @keys (${sql.join(names)})`;
}

/** `n` alone would be a selected key of that name. */
function selection(keys: readonly Column[]): RawBuilder<unknown> {
  const columns = keys.map((key, at) => sql`${selectable(keyName(at), key)} as ${sql.id(key.name)}`);
  return sql`select ${sql.join(columns)} from @keys as made order by made.n`;
}

function keyName(at: number): RawBuilder<unknown> {
  return sql.raw(`k${at}`);
}

/** A type for every value of the key: a table variable has the database's code page and no alias types. */
function keyType({ declaredType }: Column): string {
  const { base, size } = parseType(declaredType);
  if (base === "timestamp") return "binary(8)";
  if (base !== "varchar" && base !== "char") return declaredType;
  return `nvarchar(${size !== undefined && size <= 4000 ? size : "max"})`;
}

function join(statements: Statements): RawBuilder<unknown> {
  const [only, ...others] = statements;
  return only && others.length === 0 ? only : sql.join([...statements], sql`; `);
}
