/**
 * The files of the folder as tables.
 *
 * @module
 */

import { extname, join } from "node:path";
import type { Column, TableDescription } from "@/plugins/contract.ts";
import type { Connection } from "./duckdb.d.ts";
import { rowsOf, typeOf } from "./values.ts";

/** The function of DuckDB that reads files with this ending. */
export const READERS: ReadonlyMap<string, string> = new Map([
  [".parquet", "read_parquet"],
  [".csv", "read_csv"],
  [".json", "read_json"],
]);

/** The files that are tables, and a text that changes with them. */
export async function filesOf(
  folder: string,
): Promise<{ readonly files: readonly string[]; readonly state: string }> {
  const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  const files = names.filter((name) => READERS.has(extname(name))).sort().map((
    name,
  ) => join(folder, name));
  const states = await Promise.all(files.map(async (path) => {
    const { mtime, size } = await Deno.stat(path);
    return `${path} ${mtime?.getTime()} ${size}`;
  }));
  return { files, state: states.join("\n") };
}

/** Every view with its columns. */
export async function tablesOf(
  connection: Connection,
): Promise<readonly TableDescription[]> {
  const result = await connection.run(
    "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index",
  );
  const columns = Map.groupBy(await rowsOf(result), ([table]) => String(table));
  return [...columns].map(([name, rows]) => ({
    name,
    kind: "view",
    columns: rows.map(([, column, declared]): Column => ({
      name: String(column),
      type: typeOf(String(declared)),
      declaredType: String(declared),
      nullable: true,
      hasDefault: false,
      generated: false,
    })),
    primaryKey: [],
    uniqueKeys: [],
    foreignKeys: [],
    writable: [],
  }));
}

/** A text as SQL. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name as SQL. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
