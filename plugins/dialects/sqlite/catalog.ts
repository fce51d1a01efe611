/**
 * Reads tables, views, columns and keys. Unreadable ones are left out with a reason.
 *
 * @module
 */

import type { Catalog, TableDescription } from "@/plugins/contract.ts";
import { readColumns } from "./catalog_columns.ts";
import {
  type DeclaredForeignKey,
  readForeignKeys,
  readUniqueKeys,
  resolveForeignKeys,
} from "./catalog_keys.ts";
import type { Handle, Query } from "./driver.ts";

interface ListedTable {
  readonly name: string;
  readonly type: "table" | "view" | "virtual" | "shadow";
  readonly wr: number;
  readonly strict: number;
}

interface ReadTable {
  readonly description: TableDescription;
  readonly foreignKeys: readonly DeclaredForeignKey[];
}

const TABLES = `SELECT name, type, wr, strict FROM pragma_table_list
  WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`;

/** `echo` gets each statement with its parameters before it runs. */
export function readCatalog(handle: Handle, echo: (sql: string) => void): Catalog {
  const query: Query = <T>(sql: string, ...parameters: string[]) => {
    echo(parameters.length === 0 ? sql : `${sql} -- ${JSON.stringify(parameters)}`);
    return handle.prepare(sql).all(parameters) as T[];
  };
  const omitted: string[] = [];
  const read: ReadTable[] = [];
  for (const listed of query<ListedTable>(TABLES)) {
    const result = tryTable(handle, query, listed);
    if (typeof result === "string") omitted.push(result);
    else read.push(result);
  }
  return { tables: withForeignKeys(read, omitted), omitted };
}

function tryTable(handle: Handle, query: Query, listed: ListedTable): ReadTable | string {
  try {
    // Compiled without running: a view may refer to a missing table, a virtual table to a missing module.
    handle.prepare(`SELECT * FROM "${listed.name.replaceAll('"', '""')}"`);
    const read = readTable(query, listed);
    return listed.type === "view" ? withWritable(handle, read) : read;
  } catch (error) {
    return `${listed.type} "${listed.name}": ${error instanceof Error ? error.message : String(error)}`;
  }
}

function readTable(query: Query, { name, type, wr, strict }: ListedTable): ReadTable {
  const { columns, primaryKey } = readColumns(query, name, {
    withoutRowid: wr !== 0,
    strict: strict !== 0,
    isView: type === "view",
  });
  const description: TableDescription = {
    name,
    kind: type === "view" ? "view" : "table",
    columns,
    primaryKey,
    uniqueKeys: readUniqueKeys(query, name),
    foreignKeys: [],
  };
  return { description, foreignKeys: readForeignKeys(query, name) };
}

function withWritable(handle: Handle, { description, ...read }: ReadTable): ReadTable {
  const columns = description.columns.map(({ name }) => name);
  return {
    ...read,
    description: { ...description, writable: writableOf(handle, description.name, columns) },
  };
}

/** Runs last, because it needs all tables. */
function withForeignKeys(read: readonly ReadTable[], omitted: string[]): TableDescription[] {
  const tables = read.map(({ description }) => description);
  return read.map(({ description, foreignKeys }) => {
    const resolved = resolveForeignKeys(description, foreignKeys, tables);
    omitted.push(...resolved.omitted);
    return { ...description, foreignKeys: resolved.foreignKeys };
  });
}

type Writable = NonNullable<TableDescription["writable"]>;

/**
 * The operations that a view supports: those with an `INSTEAD OF` trigger. Lets SQLite itself compile statements: only its parser understands every trigger text (comments, quotes, `UPDATE OF`
 * some columns). The statements never run.
 */
function writableOf(handle: Handle, view: string, columns: readonly string[]): Writable {
  const name = quoted(view);
  const changes = columns.map((column) => `${quoted(column)} = NULL`).join(", ");
  const statements: readonly (readonly [Writable[number], string])[] = [
    ["create", `INSERT INTO ${name} DEFAULT VALUES`],
    ["update", `UPDATE ${name} SET ${changes}`],
    ["delete", `DELETE FROM ${name}`],
  ];
  return statements.filter(([, sql]) => hasTrigger(handle, view, sql)).map(([operation]) => operation);
}

/** A trigger that does not compile exists, too: writing then reports the mistake. */
function hasTrigger(handle: Handle, view: string, sql: string): boolean {
  try {
    handle.prepare(sql);
    return true;
  } catch (error) {
    return !(error instanceof Error) || error.message !== `cannot modify ${view} because it is a view`;
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
