/**
 * The files of the folder as tables.
 *
 * @module
 */

import { extname, join } from "node:path";
import type { Catalog, Column } from "@/plugins/contract.ts";
import type { Connection } from "./duckdb.d.ts";
import { portionsOf, typeOf } from "./values.ts";

/** The function of DuckDB that reads files with this ending. */
const READERS: ReadonlyMap<string, string> = new Map([
  [".parquet", "read_parquet"],
  [".csv", "read_csv"],
  [".json", "read_json"],
]);

async function filesIn(folder: string): Promise<readonly string[]> {
  const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  return names.filter((name) => READERS.has(extname(name))).sort();
}

/** A text that changes with the files. */
export async function fingerprintOf(folder: string): Promise<string> {
  const states = (await filesIn(folder)).map(async (name) => {
    const { mtime, size } = await Deno.stat(join(folder, name));
    return `${name} ${mtime?.getTime()} ${size}`;
  });
  return (await Promise.all(states)).join("\n");
}

/** Makes a view of each file, in place of those of before, and lists them with their columns. */
export async function readCatalog(connection: Connection, folder: string): Promise<Catalog> {
  const rowsOf = async (sql: string) => (await Array.fromAsync(portionsOf(connection, sql, []))).flat();
  for (const [view] of await rowsOf("SELECT view_name FROM duckdb_views() WHERE NOT internal")) {
    await connection.run(`DROP VIEW ${identifier(String(view))}`);
  }
  const omitted: string[] = [];
  for (const file of await filesIn(folder)) {
    const [ending, path] = [extname(file), join(folder, file)];
    const view = identifier(file.slice(0, -ending.length));
    try {
      await connection.run(`CREATE VIEW ${view} AS SELECT * FROM ${READERS.get(ending)}(${quote(path)})`);
    } catch (error) {
      omitted.push(`${file} is left out: ${error instanceof Error ? error.message : error}`);
    }
  }
  const rows = await rowsOf(
    "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index",
  );
  const tables = [...Map.groupBy(rows, ([table]) => String(table))].map(([name, columns]) => ({
    name,
    kind: "view" as const,
    columns: columns.map(([, column, declared]) => columnOf(String(column), String(declared))),
    primaryKey: [],
    uniqueKeys: [],
    foreignKeys: [],
    writable: [],
  }));
  return { tables, omitted };
}

function columnOf(name: string, declaredType: string): Column {
  const type = typeOf(declaredType);
  return { name, type, declaredType, nullable: true, hasDefault: false, generated: false };
}

/** A text as SQL. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
