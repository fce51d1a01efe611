/**
 * Reads tables, views, columns and keys of the configured schemas. Unsupported ones are left out with a reason.
 *
 * @module
 */

import type { Catalog, DatabaseDefinition, DialectHost, TableDescription } from "@/plugins/contract.ts";
import { type CatalogColumn, readColumns } from "./catalog_columns.ts";
import { type CatalogForeignKey, type CatalogKeys, readForeignKeys, readKeys } from "./catalog_keys.ts";
import { type Query, readSchemas, type Schemas, TABLES_AND_VIEWS, within } from "./query.ts";

/** The definition to read, and the options of reading. */
export interface CatalogOptions {
  readonly definition: DatabaseDefinition;
  readonly host: Pick<DialectHost, "ignoreDefaultFields">;
}

interface CatalogTable {
  readonly id: string;
  readonly schema: string;
  readonly name: string;
  readonly kind: "table" | "view";
  readonly comment: string | undefined;
}

/** The facts about all tables, by their ids. */
interface Parts {
  readonly columns: ReadonlyMap<string, readonly CatalogColumn[]>;
  readonly keys: ReadonlyMap<string, CatalogKeys>;
  readonly foreignKeys: ReadonlyMap<string, readonly CatalogForeignKey[]>;
  readonly names: ReadonlyMap<string, string>;
}

/** A fixed number of statements for a whole database. Rejects with the server's refusal. */
export async function readCatalog(query: Query, { definition, host }: CatalogOptions): Promise<Catalog> {
  const schemas = await readSchemas(query, definition);
  const tables = await readTables(query, schemas);
  const omitted = await findMissing(query, schemas);
  const names = new Map(tables.map((table) => [table.id, nameOf(table, schemas)]));
  const parts = {
    columns: await readColumns(query, schemas, {
      rowversionIsGenerated: !host.ignoreDefaultFields,
      omit: ({ id, name, type }) => {
        const table = names.get(id);
        if (table !== undefined) omitted.push(`column "${table}.${name}": type ${type} is not supported`);
      },
    }),
    keys: await readKeys(query, schemas),
    foreignKeys: await readForeignKeys(query, schemas),
    names,
  };
  const described = tables.flatMap((table) => describe(table, parts, omitted));
  return { tables: withKnownReferences(described, omitted), omitted };
}

/** Complaints about schemas of the definition that the login cannot see. */
async function findMissing(query: Query, schemas: Schemas): Promise<string[]> {
  const rows = await query(`select s.name from sys.schemas s where ${within(schemas)}`, ...schemas.names);
  const found = new Set(rows.map(([name]) => String(name).toLowerCase()));
  return schemas.names.filter((name) => !found.has(name.toLowerCase()))
    .map((name) => `schema "${name}": there is none, or the login may not use it`);
}

async function readTables(query: Query, schemas: Schemas): Promise<readonly CatalogTable[]> {
  const rows = await query(
    `select o.object_id, s.name, o.name, o.kind, convert(nvarchar(4000), p.value)
    from ${TABLES_AND_VIEWS} as o join sys.schemas s on s.schema_id = o.schema_id
    left join sys.extended_properties p
      on p.class = 1 and p.major_id = o.object_id and p.minor_id = 0 and p.name = 'MS_Description'
    where ${within(schemas)} order by s.name, o.name`,
    ...schemas.names,
  );
  return rows.map(([id, schema, name, kind, comment]) => ({
    id: String(id),
    schema: String(schema),
    name: String(name),
    kind: kind === "view" ? "view" : "table",
    comment: typeof comment === "string" && comment !== "" ? comment : undefined,
  }));
}

function nameOf({ schema, name }: CatalogTable, schemas: Schemas): string {
  return schema === schemas.default ? name : `${schema}.${name}`;
}

function describe(table: CatalogTable, parts: Parts, omitted: string[]): TableDescription[] {
  const name = parts.names.get(table.id) ?? table.name;
  const columns = parts.columns.get(table.id) ?? [];
  if (columns.length === 0) {
    omitted.push(`${table.kind} "${name}": it has no column that can be handled`);
    return [];
  }
  const named = new Map(columns.map(({ position, column }) => [position, column.name]));
  const keys = parts.keys.get(table.id);
  return [{
    name,
    identifier: [table.schema, table.name],
    kind: table.kind,
    columns: columns.map(({ column }) => column),
    primaryKey: keyColumns(keys?.primary ?? [], named) ?? [],
    uniqueKeys: (keys?.unique ?? []).flatMap((key) => {
      const found = keyColumns(key, named);
      return found ? [found] : [];
    }),
    foreignKeys: (parts.foreignKeys.get(table.id) ?? []).flatMap(({ key, target, references }) => {
      const found = keyColumns(key, named);
      const known = parts.names.get(target);
      return found && known !== undefined ? [{ columns: found, table: known, references }] : [];
    }),
    ...(table.comment === undefined ? {} : { comment: table.comment }),
  }];
}

/** The columns of a key; undefined if one of them was left out. */
function keyColumns(
  positions: readonly number[],
  names: ReadonlyMap<number, string>,
): readonly string[] | undefined {
  const found = positions.map((position) => names.get(position));
  return found.every((name) => name !== undefined) ? found : undefined;
}

/** Drops foreign keys to columns that were left out. */
function withKnownReferences(tables: readonly TableDescription[], omitted: string[]): TableDescription[] {
  const columns = new Map(
    tables.map((table) => [table.name, new Set(table.columns.map(({ name }) => name))]),
  );
  return tables.map((table) => ({
    ...table,
    foreignKeys: table.foreignKeys.filter((key) => {
      const isKnown = key.references.every((name) => columns.get(key.table)?.has(name));
      if (!isKnown) {
        omitted.push(`foreign key of "${table.name}" to "${key.table}": a column of it is left out`);
      }
      return isKnown;
    }),
  }));
}
