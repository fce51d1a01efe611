/**
 * Unique and foreign keys.
 *
 * @module
 */

import type { ForeignKey, TableDescription } from "@/plugins/contract.ts";
import type { Query } from "./driver.ts";

/** A foreign key as declared: the parent may be missing, and its columns may be unnamed. */
export interface DeclaredForeignKey {
  readonly table: string;
  readonly columns: readonly string[];
  /** Null: the parent's primary key. */
  readonly references: readonly (string | null)[];
}

/** SQLite lists the last declared key first. */
const UNIQUE_INDEXES = `SELECT name FROM pragma_index_list(?)
  WHERE "unique" AND NOT partial AND origin <> 'pk' ORDER BY seq DESC`;
const INDEX_COLUMNS = "SELECT name FROM pragma_index_info(?) ORDER BY seqno";
const FOREIGN_KEYS = `SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq`;

/** The names of each key's columns, in the order of declaration; without partial indexes and expressions. */
export function readUniqueKeys(query: Query, table: string): string[][] {
  return query<{ name: string }>(UNIQUE_INDEXES, table)
    .map((index) => query<{ name: string | null }>(INDEX_COLUMNS, index.name).map(({ name }) => name))
    // An expression has no name.
    .filter((columns) => columns.every((name) => name !== null));
}

/** In the order of declaration. */
export function readForeignKeys(query: Query, table: string): DeclaredForeignKey[] {
  const lines = query<{ id: number; table: string; from: string; to: string | null }>(FOREIGN_KEYS, table);
  const keys = Map.groupBy(lines, ({ id }) => id);
  return [...keys.values()].map((key) => ({
    table: key[0]?.table ?? "",
    columns: key.map(({ from }) => from),
    references: key.map(({ to }) => to),
  }));
}

/** Finds parents and their columns, ignoring case; a key without a parent is left out. */
export function resolveForeignKeys(
  child: TableDescription,
  declared: readonly DeclaredForeignKey[],
  tables: readonly TableDescription[],
): { readonly foreignKeys: readonly ForeignKey[]; readonly omitted: readonly string[] } {
  const resolved = declared.map((key) => resolve(child, key, tables));
  return {
    foreignKeys: resolved.filter((key) => typeof key !== "string"),
    omitted: resolved.filter((key) => typeof key === "string"),
  };
}

function resolve(
  child: TableDescription,
  key: DeclaredForeignKey,
  tables: readonly TableDescription[],
): ForeignKey | string {
  const what = `foreign key (${key.columns.join(", ")}) of "${child.name}"`;
  const parent = findNamed(tables, key.table);
  if (!parent) return `${what}: there is no table "${key.table}"`;
  const columns = key.columns.map((name) => findNamed(child.columns, name)?.name);
  const references = key.references.map((name, at) =>
    name === null ? parent.primaryKey[at] : findNamed(parent.columns, name)?.name
  );
  const whole = key.references[0] !== null || parent.primaryKey.length === key.columns.length;
  if (!whole || !isComplete(references)) return `${what}: it does not match the columns of "${parent.name}"`;
  if (!isComplete(columns)) return `${what}: one of its columns cannot be read`;
  return { columns, table: parent.name, references };
}

function findNamed<T extends { readonly name: string }>(all: readonly T[], name: string): T | undefined {
  const folded = name.toLowerCase();
  return all.find((one) => one.name === name) ?? all.find((one) => one.name.toLowerCase() === folded);
}

function isComplete(names: readonly (string | undefined)[]): names is readonly string[] {
  return names.every((name) => name !== undefined);
}
