/**
 * Reads tables, views, columns and keys. Unreadable ones are left out with a reason.
 *
 * @module
 */

import type { Catalog, Column, ForeignKey, TableDescription } from "@/plugins/contract.ts";
import { messageIn } from "@/plugins/kit/database_failure.ts";
import type { Echo } from "@/plugins/kit/echo.ts";
import { maxLengthOf, typeDetailOf, valueTypeOf } from "./column_types.ts";
import type { Handle, Statement } from "./driver.ts";
import { valueLists } from "./value_lists.ts";

/** Runs catalog SQL; rows are objects. */
type Query = <T>(sql: string, ...parameters: string[]) => T[];

interface ListedTable {
  readonly name: string;
  readonly type: "table" | "view" | "virtual";
  /** 1: without rowid. */
  readonly wr: number;
  readonly strict: number;
  /** The statement that has made it. */
  readonly sql: string | null;
}

const TABLES = `SELECT listed.name, listed.type, listed.wr, listed.strict, made.sql
  FROM pragma_table_list AS listed
  LEFT JOIN main.sqlite_schema AS made ON made.type = 'table' AND made.name = listed.name
  WHERE listed.schema = 'main' AND listed.type <> 'shadow' AND listed.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
  ORDER BY listed.name`;

interface ListedColumn {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  /** Position within the primary key, from 1; 0 outside. */
  readonly pk: number;
  /** 2 and 3: generated. */
  readonly hidden: number;
}

/** Without the hidden columns of virtual tables. */
const COLUMNS = `SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?)
  WHERE hidden <> 1 ORDER BY cid`;
const KEY_INDEX = "SELECT name FROM pragma_index_list(?) WHERE origin = 'pk'";
/** SQLite lists the last declared key first. */
const UNIQUE_INDEXES = `SELECT name FROM pragma_index_list(?)
  WHERE "unique" AND NOT partial AND origin <> 'pk' ORDER BY seq DESC`;
const INDEX_COLUMNS = "SELECT name FROM pragma_index_info(?) ORDER BY seqno";

/** A column of a foreign key. */
interface ListedKey {
  readonly id: number;
  /** The parent, which may be missing. */
  readonly table: string;
  readonly from: string;
  /** Null: the column of the parent's primary key. */
  readonly to: string | null;
}

const FOREIGN_KEYS = `SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq`;

/** Throws SQLite's errors about the whole file. */
export function readCatalog(handle: Handle, echo: Echo): Catalog {
  const prepared = new Map<string, Statement>();
  const query: Query = <T>(sql: string, ...parameters: string[]) => {
    echo(sql, parameters);
    return prepared.getOrInsertComputed(sql, () => handle.prepare(sql)).all(parameters) as T[];
  };
  const omitted: string[] = [];
  const tables = query<ListedTable>(TABLES).flatMap((listed) => {
    try {
      return [readTable(handle, query, listed)];
    } catch (error) {
      omitted.push(`${listed.type} "${listed.name}": ${messageIn(error)}`);
      return [];
    }
  });
  return {
    tables: tables.map((table) => ({
      ...table,
      foreignKeys: readForeignKeys(query, table, tables, omitted),
    })),
    omitted,
  };
}

function readTable(handle: Handle, query: Query, table: ListedTable): TableDescription {
  const { name, type } = table;
  // Compiled without running: a view may refer to a missing table, a virtual table to a missing module.
  handle.prepare(`SELECT * FROM ${quoted(name)}`);
  const listed = query<ListedColumn>(COLUMNS, name);
  const key = listed.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  // A key that is the rowid has no index; `INTEGER PRIMARY KEY DESC` has one and is not the rowid.
  const isRowid = table.wr === 0 && key.length === 1 && key[0]?.type.toUpperCase() === "INTEGER" &&
    query(KEY_INDEX, name).length === 0;
  const lists = valueLists(table.sql ?? "");
  const columns = listed.map((column) => listing(describe(column, table, isRowid), lists));
  return {
    name,
    kind: type === "view" ? "view" : "table",
    columns,
    primaryKey: key.map((column) => column.name),
    uniqueKeys: readUniqueKeys(query, name),
    foreignKeys: [],
    ...(type === "view" ? { writable: writableOf(handle, name, columns) } : {}),
  };
}

/** SQLite's type of a view's column over one without a type; its values may have any type. */
const UNTYPED_IN_VIEW = "BLOB";

/** `isRowid`: the table's primary key is its rowid. */
function describe(column: ListedColumn, table: ListedTable, isRowid: boolean): Column {
  const isKey = column.pk > 0;
  const generated = column.hidden > 1;
  const type = table.type === "view" && column.type === UNTYPED_IN_VIEW
    ? ""
    : column.type.replace(/\s*\bGENERATED ALWAYS$/i, "");
  const maxLength = maxLengthOf(type);
  const hasDefault = column.dflt_value !== null && column.dflt_value.toUpperCase() !== "NULL";
  return {
    name: column.name,
    type: valueTypeOf(type),
    declaredType: type,
    // SQLite allows NULL in primary keys, except in rowids and in tables without rowid.
    nullable: column.notnull === 0 && !(isKey && (isRowid || table.wr !== 0)),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...typeDetailOf(type),
    hasDefault: hasDefault || generated || (isKey && isRowid),
    ...(isKey && isRowid ? { identity: true } : {}),
    generated,
    ...((isKey && isRowid) || table.strict !== 0 ? {} : { loose: true }),
  };
}

/** A text column whose values a check lists has them as its members. */
function listing(column: Column, lists: ReturnType<typeof valueLists>): Column {
  const members = column.type === "text" ? lists.get(column.name.toLowerCase()) : undefined;
  return members ? { ...column, bounds: { ...column.bounds, members } } : column;
}

/** The names of each key's columns, in the order of declaration; without partial indexes and expressions. */
function readUniqueKeys(query: Query, table: string): string[][] {
  return query<{ name: string }>(UNIQUE_INDEXES, table)
    .map((index) => query<{ name: string | null }>(INDEX_COLUMNS, index.name).map(({ name }) => name))
    // An expression has no name.
    .filter((columns) => columns.every((name) => name !== null));
}

/** In the order of declaration; a key without a parent is left out. */
function readForeignKeys(
  query: Query,
  child: TableDescription,
  tables: readonly TableDescription[],
  omitted: string[],
): ForeignKey[] {
  const keys = Map.groupBy(query<ListedKey>(FOREIGN_KEYS, child.name), ({ id }) => id);
  const resolved = [...keys.values()].map((key) => resolve(child, key, tables));
  omitted.push(...resolved.filter((key) => typeof key === "string"));
  return resolved.filter((key) => typeof key !== "string");
}

/** Finds the parent and its columns, ignoring case; a text says why it cannot. */
function resolve(
  child: TableDescription,
  key: readonly ListedKey[],
  tables: readonly TableDescription[],
): ForeignKey | string {
  const what = `foreign key (${key.map(({ from }) => from).join(", ")}) of "${child.name}"`;
  const name = key[0]?.table ?? "";
  const parent = findNamed(tables, name);
  if (!parent) return `${what}: there is no table "${name}"`;
  const columns = key.map(({ from }) => findNamed(child.columns, from)?.name);
  const references = key.map(({ to }, at) =>
    to === null ? parent.primaryKey[at] : findNamed(parent.columns, to)?.name
  );
  const isWhole = key[0]?.to !== null || parent.primaryKey.length === key.length;
  if (!isWhole || !isComplete(references)) {
    return `${what}: it does not match the columns of "${parent.name}"`;
  }
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

type Writable = NonNullable<TableDescription["writable"]>;

/**
 * The operations that a view supports: those with an `INSTEAD OF` trigger. Lets SQLite itself compile
 * statements, because only its parser understands every trigger text (comments, quotes, `UPDATE OF` some
 * columns). The statements never run.
 */
function writableOf(handle: Handle, view: string, columns: readonly Column[]): Writable {
  const name = quoted(view);
  const changes = columns.map((column) => `${quoted(column.name)} = NULL`).join(", ");
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
    return messageIn(error) !== `cannot modify ${view} because it is a view`;
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
