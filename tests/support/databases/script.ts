/**
 * The script that makes a database on another engine.
 *
 * @module
 */

import type {
  ColumnFixture,
  DatabaseFixture,
  ForeignKeyFixture,
  Stored,
  TableFixture,
} from "./definition.ts";
import { type Engine, kindOf, literal } from "./engine.ts";
import { spell, type Token } from "./tokens.ts";

/** Everything: tables, rows, views. */
export function createScript(database: DatabaseFixture, engine: Engine): string {
  const say = (tokens: readonly Token[]) => sayTokens(tokens, database, engine);
  const statements = [
    ...engine.before,
    ...database.tables.map((table) => createTable(table, engine, say)),
    ...database.tables.flatMap((table) => insertRows(table, database, engine)),
    ...database.tables.flatMap((table) => uniqueIndexes(table, engine)),
    ...database.indexes.map(say),
    ...database.views.map(({ name, query }) => `CREATE VIEW ${engine.quote(name)} AS ${say(query)}`),
    ...engine.after,
  ];
  return finish(statements, engine);
}

/**
 * Restores the rows of every table. Tables without rows are emptied last,
 * because triggers may have filled them.
 */
export function resetScript(database: DatabaseFixture, engine: Engine): string {
  const isFilled = ({ name }: TableFixture) => database.rows.get(name)?.length;
  const statements = [
    ...engine.before,
    ...database.tables.toReversed().filter(isFilled).flatMap((table) => engine.empty(table)),
    ...database.tables.flatMap((table) => insertRows(table, database, engine)),
    ...database.tables.filter((table) => !isFilled(table)).flatMap((table) => engine.empty(table)),
    ...engine.after,
  ];
  return finish(statements, engine);
}

/** SQL of SQLite in the engine's words. */
export function sayTokens(tokens: readonly Token[], { names }: DatabaseFixture, engine: Engine): string {
  const sql = spell(
    tokens,
    ({ kind, text }) => kind === "name" || names.has(text) ? engine.quote(text) : text,
  );
  return engine.rewrites.reduce((text, [from, to]) => text.replaceAll(from, to), sql);
}

function createTable(table: TableFixture, engine: Engine, say: (tokens: readonly Token[]) => string): string {
  const list = (names: readonly string[]) => `(${names.map((name) => engine.quote(name)).join(", ")})`;
  const members = [
    ...table.columns.map((column) => createColumn(column, table, engine, say)),
    ...(table.primaryKey.length > 0 ? [`PRIMARY KEY ${list(table.primaryKey)}`] : []),
    ...table.uniqueKeys.filter((key) => isKept(key, table, engine)).map((key) => `UNIQUE ${list(key)}`),
    ...table.checks.map((check) => `CHECK (${say(check)})`),
    ...table.foreignKeys.map((key) => foreignKey(key, engine, list)),
  ];
  return `CREATE TABLE ${engine.quote(table.name)} (\n  ${members.join(",\n  ")}\n)`;
}

/**
 * Where NULL equals NULL, a unique key of columns that may be NULL would allow only one row without a value.
 * Such a key becomes an index of the rows that have one.
 */
function isKept(key: readonly string[], { columns }: TableFixture, { nullsEqual }: Engine): boolean {
  return nullsEqual !== true ||
    !columns.some(({ name, isNullable }) => isNullable && key.includes(name));
}

function uniqueIndexes(table: TableFixture, engine: Engine): readonly string[] {
  const { quote } = engine;
  return table.uniqueKeys.filter((key) => !isKept(key, table, engine)).map((key) => {
    const columns = key.map((name) => quote(name));
    const given = columns.map((name) => `${name} IS NOT NULL`).join(" AND ");
    const name = quote(`${table.name}_${key.join("_")}`);
    return `CREATE UNIQUE INDEX ${name} ON ${quote(table.name)} (${columns.join(", ")}) WHERE ${given}`;
  });
}

function createColumn(
  column: ColumnFixture,
  table: TableFixture,
  engine: Engine,
  say: (tokens: readonly Token[]) => string,
): string {
  const name = engine.quote(column.name);
  const start = `${name} ${typeOf(column, table, engine)}`;
  if (column.generated) {
    return `${engine.typesGenerated === false ? name : start} ${engine.generated(say(column.generated))}`;
  }
  const byDefault = column.default && ` DEFAULT ${engine.defaultOf(say(column.default), kindOf(column))}`;
  const identity = column.isIdentity ? ` ${engine.identity}` : "";
  return `${start}${byDefault ?? ""}${column.isNullable ? "" : " NOT NULL"}${identity}`;
}

function typeOf(column: ColumnFixture, table: TableFixture, engine: Engine): string {
  const kind = kindOf(column);
  const isKey = [table.primaryKey, ...table.uniqueKeys].some((key) => key.includes(column.name));
  if (kind === "text" && isKey && engine.keyText !== undefined) return engine.keyText;
  return engine.types[kind](/\(.*\)/.exec(column.type)?.[0] ?? "");
}

function foreignKey(
  { columns, table, references, isCascading, isDeferred }: ForeignKeyFixture,
  engine: Engine,
  list: (names: readonly string[]) => string,
): string {
  const cascade = isCascading ? " ON DELETE CASCADE" : "";
  const deferred = isDeferred && engine.canDefer ? " DEFERRABLE INITIALLY DEFERRED" : "";
  const target = `${engine.quote(table)} ${list(references)}`;
  return `FOREIGN KEY ${list(columns)} REFERENCES ${target}${cascade}${deferred}`;
}

function insertRows(table: TableFixture, { rows: all }: DatabaseFixture, engine: Engine): readonly string[] {
  const columns = table.columns.filter(({ generated }) => !generated);
  const rows = all.get(table.name) ?? [];
  if (rows.length === 0) return [];
  const names = columns.map(({ name }) => engine.quote(name)).join(", ");
  const into = `INSERT INTO ${engine.quote(table.name)} (${names}) VALUES`;
  const kinds = columns.map(kindOf);
  const row = (cells: readonly Stored[]) =>
    `(${cells.map((cell, at) => literal(engine, cell, kinds[at] ?? "any")).join(", ")})`;
  const statements = [];
  for (let start = 0; start < rows.length; start += engine.batch) {
    statements.push(`${into}\n${rows.slice(start, start + engine.batch).map(row).join(",\n")}`);
  }
  const before = engine.beforeRows?.(table) ?? [];
  return [...before, ...statements, ...(engine.afterRows?.(table, largestKey(table, rows)) ?? [])];
}

/** The largest value of the column that the database counts up; 0 where it has none. */
function largestKey({ columns }: TableFixture, rows: readonly (readonly Stored[])[]): bigint {
  const at = columns.findIndex(({ isIdentity }) => isIdentity);
  return rows.reduce((largest, row) => {
    const key = row[at];
    return typeof key === "bigint" && key > largest ? key : largest;
  }, 0n);
}

function finish(statements: readonly string[], { terminator }: Engine): string {
  return statements.map((statement) => statement + terminator).join("");
}
