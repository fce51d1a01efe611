/**
 * Converts the server's listing to tables, views, columns and keys. Unsupported ones
 * are left out with a reason. Pure.
 *
 * @module
 */

import type { Catalog, Column, ForeignKey, TableDescription } from "@/plugins/contract.ts";
import type {
  ListedColumn,
  ListedKey,
  ListedReference,
  ListedTable,
  Listing,
  Placed,
} from "./catalog_queries.ts";
import { boundsOf, typeDetailOf, valueTypeOf, zoneOf } from "./column_types.ts";
import type { Server } from "./server.ts";
import { IRREGULAR, isLoose } from "./stored.ts";

const TABLES: ReadonlySet<string> = new Set(["BASE TABLE", "SYSTEM VERSIONED"]);
const VIEW = "VIEW";
const PRIMARY = "PRIMARY";

/** Tables of the first schema have plain names, those of others `schema.table`. */
export function describeCatalog(listing: Listing, wanted: readonly string[], server: Server): Catalog {
  const omitted: string[] = [];
  const schemas = schemasOf(listing, wanted, omitted);
  const parts = partsOf(listing, schemas, omitted);
  const described = parts.flatMap((part) => {
    const description = describe(part, server, omitted);
    return description ? [{ description, references: part.references }] : [];
  });
  const find = finderOf(described.map(({ description }) => description));
  const tables = described.map(({ description, references }) => ({
    ...description,
    foreignKeys: foreignKeysOf(description, references, { find, omitted }),
  }));
  return { tables, omitted };
}

/** The schemas of the definition in the server's spelling: some servers have names in lower case only. */
function schemasOf(listing: Listing, wanted: readonly string[], omitted: string[]): readonly string[] {
  const known = listing.schemas.map(({ name }) => name);
  return wanted.map((name) => {
    if (known.includes(name)) return name;
    const found = known.find((each) => each.toLowerCase() === name.toLowerCase());
    if (found === undefined) omitted.push(`schema "${name}": there is none, or the login may not use it`);
    return found ?? name;
  });
}

/** The listing of one table, and its name in URLs. */
interface Parts extends Omit<Listing, "tables" | "schemas"> {
  readonly table: ListedTable;
  readonly name: string;
  readonly primaryKey: readonly string[];
}

function partsOf(listing: Listing, schemas: readonly string[], omitted: string[]): readonly Parts[] {
  const [columns, keys, references, views, checks] = [
    byTable(listing.columns),
    byTable(listing.keys),
    byTable(listing.references),
    byTable(listing.views),
    byTable(listing.checks),
  ] as const;
  const ordered = listing.tables.toSorted((a, b) => schemas.indexOf(a.schema) - schemas.indexOf(b.schema));
  return ordered.flatMap((table) => {
    const name = table.schema === schemas[0] ? table.name : `${table.schema}.${table.name}`;
    if (!TABLES.has(table.kind) && table.kind !== VIEW) {
      omitted.push(`"${name}": it is no table but a ${table.kind.toLowerCase()}`);
      return [];
    }
    const listed = columns(table);
    // MariaDB adds it to each key of a system-versioned table; it is the same in all rows that are read.
    const end = listed.find(({ expression }) => expression === "ROW END")?.name;
    const ofTable = keys(table).filter(({ column }) => column !== end);
    return [{
      table,
      name,
      columns: listed,
      keys: ofTable,
      primaryKey: ofTable.filter(({ index }) => index === PRIMARY).flatMap(({ column }) => column ?? []),
      references: references(table),
      views: views(table),
      checks: checks(table),
    }];
  });
}

function byTable<Part extends Placed>(parts: readonly Part[]): (table: ListedTable) => readonly Part[] {
  const groups = Map.groupBy(parts, ({ schema, table }) => JSON.stringify([schema, table]));
  return ({ schema, name }) => groups.get(JSON.stringify([schema, name])) ?? [];
}

/** A table without its foreign keys, which are resolved once all tables are known. */
function describe(parts: Parts, server: Server, omitted: string[]): TableDescription | undefined {
  const { name, table: { kind, comment, ...table }, keys, primaryKey } = parts;
  const columns = describeColumns(parts, server, omitted);
  if (columns.length === 0) {
    omitted.push(`${kind === VIEW ? "view" : "table"} "${name}": ${reasonOf(parts)}`);
    return undefined;
  }
  const known = new Set(columns.map((column) => column.name));
  return {
    name,
    identifier: [table.schema, table.name],
    kind: kind === VIEW ? "view" : "table",
    columns,
    primaryKey: primaryKey.every((column) => known.has(column)) ? primaryKey : [],
    uniqueKeys: uniqueKeysOf(keys).filter((key) => key.every((column) => known.has(column))),
    foreignKeys: [],
    // Triggers run for each row that is found, and cannot leave one out.
    ...(kind === VIEW ? { writable: writableOf(parts) } : { withoutRules: true }),
    ...(kind !== VIEW && table.engine !== "InnoDB" ? { withoutTransactions: true } : {}),
    // Other engines keep the rows before a refused one. MySQL does not return the keys that a trigger sets.
    ...(table.engine === "InnoDB" && server.flavour === "mariadb" ? { joinsInserts: true } : {}),
    ...(kind !== VIEW && comment ? { comment } : {}),
  };
}

/** Servers list no columns of a view that refers to a missing object; some give the reason in its comment. */
function reasonOf({ table: { kind, comment }, columns }: Parts): string {
  if (columns.length > 0) return "it has no column that can be read";
  if (kind === VIEW && comment && comment !== VIEW) return comment;
  return "its columns cannot be read: this login lacks a right, or it refers to what is not there";
}

/** An updatable view allows all changes; the server refuses those that fail. */
function writableOf({ views }: Parts): NonNullable<TableDescription["writable"]> {
  return views[0]?.updatable === "YES" ? ["create", "update", "delete"] : [];
}

/** Unique indexes of columns; an index on an expression does not make a column unique. */
function uniqueKeysOf(keys: readonly ListedKey[]): readonly (readonly string[])[] {
  const indexes = Map.groupBy(keys.filter(({ index }) => index !== PRIMARY), ({ index }) => index);
  return [...indexes.values()].map((parts) => parts.map(({ column }) => column)).filter((columns) =>
    isComplete(columns)
  );
}

type FindTable = (schema: string, table: string) => TableDescription | undefined;

/**
 * Finds tables by schema and name; as a last resort ignoring case, because some servers list another case.
 */
function finderOf(tables: readonly TableDescription[]): FindTable {
  const placed = tables.map((table) => [JSON.stringify(table.identifier), table] as const);
  const exact = new Map(placed);
  const folded = new Map(placed.map(([place, table]) => [place.toLowerCase(), table]));
  return (schema, table) => {
    const place = JSON.stringify([schema, table]);
    return exact.get(place) ?? folded.get(place.toLowerCase());
  };
}

/** Foreign keys to known tables, over supported columns. */
function foreignKeysOf(
  child: TableDescription,
  references: readonly ListedReference[],
  { find, omitted }: { readonly find: FindTable; readonly omitted: string[] },
): readonly ForeignKey[] {
  const constraints = Map.groupBy(references, ({ constraint }) => constraint);
  return [...constraints.values()].flatMap((parts) => {
    const key = resolve(child, parts, find);
    if (typeof key !== "string") return [key];
    omitted.push(`foreign key (${parts.map(({ column }) => column).join(", ")}) of "${child.name}": ${key}`);
    return [];
  });
}

function resolve(
  child: TableDescription,
  parts: readonly ListedReference[],
  find: FindTable,
): ForeignKey | string {
  const [{ otherSchema = "", otherTable = "" } = {}] = parts;
  const parent = find(otherSchema, otherTable);
  if (!parent) return `there is no table "${otherSchema}.${otherTable}" here`;
  const columns = parts.map(({ column }) => findNamed(child.columns, column));
  const references = parts.map(({ otherColumn }) => findNamed(parent.columns, otherColumn));
  if (!isComplete(columns) || !isComplete(references)) return "one of its columns cannot be read";
  return { columns, table: parent.name, references };
}

function findNamed(columns: readonly { readonly name: string }[], name: string): string | undefined {
  const folded = name.toLowerCase();
  return columns.find((column) => column.name.toLowerCase() === folded)?.name;
}

function isComplete(names: readonly (string | null | undefined)[]): names is readonly string[] {
  return names.every((name) => typeof name === "string");
}

/** Columns in their order, including invisible ones, because every statement names its columns. */
function describeColumns(
  { name, columns, checks, primaryKey }: Parts,
  { flavour }: Server,
  omitted: string[],
): readonly Column[] {
  const documents = new Set(checks.flatMap(({ clause }) => documentOf(clause) ?? []));
  return columns.flatMap((column) => {
    const type = documents.has(column.name) ? "json" : valueTypeOf(column.dataType, column.columnType);
    if (type) {
      const isToldBack = flavour === "mariadb" || !isExpression(column) || !primaryKey.includes(column.name);
      return [describeColumn(column, type, isToldBack && hasDefault(column, flavour))];
    }
    omitted.push(
      `column "${column.name}" of "${name}": values of type ${column.dataType} cannot be written back`,
    );
    return [];
  });
}

/**
 * `isFilled`: it has a default, and the key of a new record is known: MySQL does
 * not return one from an expression.
 */
function describeColumn(column: ListedColumn, type: Column["type"], isFilled: boolean): Column {
  const { name, columnType, nullable, length, comment } = column;
  const generated = /\b(VIRTUAL|STORED|PERSISTENT) GENERATED\b/i.test(column.extra);
  const identity = /\bauto_increment\b/i.test(column.extra);
  const isCounted = /^(var)?char$/i.test(column.dataType) && length !== null && type === "text";
  return {
    name,
    type,
    declaredType: columnType,
    nullable: nullable === "YES",
    ...(isCounted ? { maxLength: Number(length) } : {}),
    hasDefault: identity || generated || isFilled,
    generated,
    ...zoneOf(columnType),
    ...(IRREGULAR[type] === undefined ? {} : { irregular: IRREGULAR[type] }),
    ...(isLoose({ type, declaredType: columnType }) ? { loose: true } : {}),
    ...boundsOf(columnType),
    ...typeDetailOf(columnType, type),
    ...(identity ? { identity } : {}),
    ...(comment ? { comment } : {}),
  };
}

/** MariaDB declares JSON as text with this check. */
function documentOf(clause: string): string | undefined {
  return /^json_valid\(`((?:[^`]|``)+)`\)$/i.exec(clause)?.[1]?.replaceAll("``", "`");
}

/**
 * MariaDB lists an expression: NULL means no default, and `'NULL'` is the word. MySQL lists the value itself.
 */
function hasDefault(column: ListedColumn, flavour: Server["flavour"]): boolean {
  const { dataType, standard } = column;
  if (isExpression(column)) return true;
  // Sessions refuse it.
  if (/^(date|timestamp)/i.test(dataType) && /^'?0000-00-00/.test(standard ?? "")) return false;
  return standard !== null && (flavour === "mysql" || standard.toUpperCase() !== "NULL");
}

function isExpression({ extra }: ListedColumn): boolean {
  return /\bDEFAULT_GENERATED\b/i.test(extra);
}
