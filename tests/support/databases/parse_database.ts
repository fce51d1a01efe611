/**
 * Reads the definition of a database from the SQLite statements that make it. They are the source of all test
 * data. The rows are read from SQLite, which has converted their values.
 *
 * @module
 */

// @ts-types="@/plugins/dialects/sqlite/better_sqlite3.d.ts"
import Sqlite from "better-sqlite3";
import type { DatabaseFixture, Stored, TableFixture, ViewFixture } from "./definition.ts";
import { parseTable } from "./parse_table.ts";
import { TokenReader } from "./token_reader.ts";
import { type Token, tokenize } from "./tokens.ts";

/** The statements of a script, each ending with a semicolon at the end of a line. */
export function statementsOf(script: string): readonly string[] {
  return script.replaceAll(/--.*$/gm, "").split(/;$/m).map((sql) => sql.trim()).filter((sql) => sql !== "");
}

/** Triggers are left out: no two engines agree on them. */
export function parseDatabase(script: string): DatabaseFixture {
  const tokens = statementsOf(script).filter((sql) => /^CREATE\b/i.test(sql)).map(tokenize);
  const starting = (word: string) => tokens.filter((list) => isCreate(list, word));
  const tables = starting("TABLE").map(parseTable);
  const views = starting("VIEW").map(parseView);
  return {
    tables,
    views,
    indexes: starting("INDEX"),
    names: namesOf(tables, views),
    rows: readRows(script, tables),
  };
}

function isCreate([first, second]: readonly Token[], word: string): boolean {
  return first?.text.toUpperCase() === "CREATE" && second?.text.toUpperCase() === word;
}

function parseView(tokens: readonly Token[]): ViewFixture {
  const statement = new TokenReader(tokens);
  statement.expect("CREATE", "VIEW");
  const { text: name } = statement.next();
  statement.expect("AS");
  return { name, query: statement.rest() };
}

function namesOf(tables: readonly TableFixture[], views: readonly ViewFixture[]): ReadonlySet<string> {
  const ofTables = tables.flatMap(({ name, columns }) => [name, ...columns.map((column) => column.name)]);
  const ofViews = views.flatMap(({ name, query }) => [name, ...aliasesOf(query)]);
  return new Set([...ofTables, ...ofViews]);
}

function aliasesOf(query: readonly Token[]): readonly string[] {
  return query.filter((_, at) => query[at - 1]?.text.toUpperCase() === "AS").map(({ text }) => text);
}

function readRows(
  script: string,
  tables: readonly TableFixture[],
): DatabaseFixture["rows"] {
  const handle = new Sqlite(":memory:");
  try {
    handle.exec(script);
    return new Map(tables.map((table) => [table.name, readTable(handle, table)]));
  } finally {
    handle.close();
  }
}

function readTable(handle: Sqlite, { name, columns }: TableFixture): readonly (readonly Stored[])[] {
  const list = columns.filter(({ generated }) => !generated).map((column) => quote(column.name)).join(", ");
  const statement = handle.prepare(`SELECT ${list} FROM ${quote(name)}`).raw().safeIntegers();
  return statement.all() as readonly (readonly Stored[])[];
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
