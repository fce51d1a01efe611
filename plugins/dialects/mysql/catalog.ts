/**
 * Converts the server's listing to tables, views, columns and keys. Unsupported ones are left out with a reason. Pure.
 *
 * @module
 */

import type { Catalog, TableDescription } from "@/plugins/contract.ts";
import { describeColumns, type DescribeOptions } from "./catalog_columns.ts";
import { foreignKeysOf, Places, primaryKeyOf, uniqueKeysOf } from "./catalog_keys.ts";
import type { ListedTable, Listing } from "./catalog_queries.ts";
import type { Server } from "./server.ts";

/** The listing of one table. */
interface Parts {
  readonly table: ListedTable;
  readonly columns: Listing["columns"];
  readonly keys: Listing["keys"];
  readonly references: Listing["references"];
  readonly views: Listing["views"];
  readonly checks: Listing["checks"];
}

const TABLES: ReadonlySet<string> = new Set(["BASE TABLE", "SYSTEM VERSIONED"]);
const VIEW = "VIEW";

/** Tables of the first schema have plain names, those of others `schema.table`. */
export function describeCatalog(listing: Listing, schemas: readonly string[], server: Server): Catalog {
  const omitted: string[] = [];
  const urlName = (schema: string, table: string) => schema === schemas[0] ? table : `${schema}.${table}`;
  const parts = partsOf(listing, schemas, omitted, urlName);
  const tables = parts.flatMap((part) => describe(part, { server, omitted, urlName }) ?? []);
  return { tables: resolve(tables, parts, urlName, omitted), omitted };
}

type UrlName = (schema: string, table: string) => string;

function partsOf(
  listing: Listing,
  schemas: readonly string[],
  omitted: string[],
  urlName: UrlName,
): readonly Parts[] {
  const [columns, keys, references, views, checks] = [
    Map.groupBy(listing.columns, placeOf),
    Map.groupBy(listing.keys, placeOf),
    Map.groupBy(listing.references, placeOf),
    Map.groupBy(listing.views, placeOf),
    Map.groupBy(listing.checks, placeOf),
  ] as const;
  const isHandled = ({ kind, schema, name }: ListedTable) => {
    if (TABLES.has(kind) || kind === VIEW) return true;
    omitted.push(`"${urlName(schema, name)}": it is no table but a ${kind.toLowerCase()}`);
    return false;
  };
  const ordered = listing.tables.filter(isHandled)
    .toSorted((a, b) => schemas.indexOf(a.schema) - schemas.indexOf(b.schema));
  return ordered.map((table) => {
    const place = placeOf({ schema: table.schema, table: table.name });
    return {
      table,
      columns: columns.get(place) ?? [],
      keys: keys.get(place) ?? [],
      references: references.get(place) ?? [],
      views: views.get(place) ?? [],
      checks: checks.get(place) ?? [],
    };
  });
}

/** The key by which the parts of one table are found. */
function placeOf({ schema, table }: { readonly schema: string; readonly table: string }): string {
  return JSON.stringify([schema, table]);
}

interface Surroundings {
  readonly server: Server;
  readonly omitted: string[];
  readonly urlName: UrlName;
}

/** A table without its foreign keys, which are resolved once all tables are known. */
function describe(parts: Parts, { server, omitted, urlName }: Surroundings): TableDescription | undefined {
  const { table: { schema, name, kind, comment } } = parts;
  const url = urlName(schema, name);
  const options: DescribeOptions = {
    name: url,
    server,
    checks: parts.checks,
    primaryKey: primaryKeyOf(parts.keys),
    omitted,
  };
  const columns = describeColumns(parts.columns, options);
  if (columns.length === 0) {
    omitted.push(`${kind === VIEW ? "view" : "table"} "${url}": ${reasonOf(parts)}`);
    return undefined;
  }
  const known = new Set(columns.map((column) => column.name));
  const primaryKey = options.primaryKey.every((column) => known.has(column)) ? options.primaryKey : [];
  return {
    name: url,
    identifier: [schema, name],
    kind: kind === VIEW ? "view" : "table",
    columns,
    primaryKey,
    uniqueKeys: uniqueKeysOf(parts.keys).filter((key) => key.every((column) => known.has(column))),
    foreignKeys: [],
    ...(kind === VIEW ? { writable: writableOf(parts) } : {}),
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

function resolve(
  tables: readonly TableDescription[],
  parts: readonly Parts[],
  urlName: UrlName,
  omitted: string[],
): readonly TableDescription[] {
  const places = new Places(tables);
  const byName = new Map(parts.map((part) => [urlName(part.table.schema, part.table.name), part]));
  return tables.map((table) => {
    const references = byName.get(table.name)?.references ?? [];
    return { ...table, foreignKeys: foreignKeysOf(table, references, { places, omitted }) };
  });
}
