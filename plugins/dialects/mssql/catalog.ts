/**
 * Reads tables, views, columns and keys of the configured schemas. Unsupported ones are left out with a reason.
 *
 * @module
 */

import type {
  Catalog,
  DatabaseDefinition,
  DialectHost,
  TableDescription,
  Value,
} from "@/plugins/contract.ts";
import { type CatalogColumn, readColumns } from "./catalog_columns.ts";
import { type Query, readSchemas, type Schemas, TABLES_AND_VIEWS, within } from "./query.ts";

interface CatalogTable {
  readonly id: string;
  readonly schema: string;
  readonly name: string;
  readonly kind: "table" | "view";
  readonly comment: string | undefined;
}

type Rows = readonly (readonly Value[])[];

/** The facts about all tables, by their ids. */
interface Parts {
  readonly columns: ReadonlyMap<string, readonly CatalogColumn[]>;
  /** Rows of {@link KEYS}. */
  readonly keys: ReadonlyMap<string, Rows>;
  /** Rows of {@link FOREIGN_KEYS}. */
  readonly foreignKeys: ReadonlyMap<string, Rows>;
  readonly names: ReadonlyMap<string, string>;
}

/** The columns of primary and unique keys. An index with a filter is unique among some rows only. */
const KEYS = `select i.object_id, i.index_id, i.is_primary_key, c.column_id
  from sys.indexes i
  join sys.index_columns c on c.object_id = i.object_id and c.index_id = i.index_id
  join sys.tables o on o.object_id = i.object_id join sys.schemas s on s.schema_id = o.schema_id
  where i.is_unique = 1 and i.is_disabled = 0 and i.has_filter = 0 and c.key_ordinal > 0 and o.is_ms_shipped = 0`;

const FOREIGN_KEYS =
  `select f.object_id, f.parent_object_id, f.referenced_object_id, c.parent_column_id, r.name
  from sys.foreign_keys f
  join sys.foreign_key_columns c on c.constraint_object_id = f.object_id
  join sys.columns r on r.object_id = c.referenced_object_id and r.column_id = c.referenced_column_id
  join sys.tables o on o.object_id = f.parent_object_id join sys.schemas s on s.schema_id = o.schema_id
  where o.is_ms_shipped = 0`;

/** A fixed number of statements for a whole database. Rejects with the server's refusal. */
export async function readCatalog(
  query: Query,
  { definition, host }: {
    readonly definition: DatabaseDefinition;
    readonly host: Pick<DialectHost, "ignoreDefaultFields">;
  },
): Promise<Catalog> {
  const schemas = await readSchemas(query, definition);
  const ask = (sql: string, order: string) =>
    query(`${sql} and ${within(schemas)} order by ${order}`, ...schemas.names);
  const tables = await readTables(query, schemas);
  const omitted = await findMissing(query, schemas);
  const names = new Map(tables.map((table) => [table.id, nameOf(table, schemas)]));
  const columns = await readColumns(query, schemas, {
    rowversionIsGenerated: !host.ignoreDefaultFields,
    omit: ({ id, name, type }) => {
      const table = names.get(id);
      if (table !== undefined) omitted.push(`column "${table}.${name}": type ${type} is not supported`);
    },
  });
  const keys = await ask(KEYS, "i.object_id, i.index_id, c.key_ordinal");
  const foreignKeys = await ask(FOREIGN_KEYS, "f.parent_object_id, f.object_id, c.constraint_column_id");
  const parts = {
    columns,
    keys: Map.groupBy(keys, ([table]) => String(table)),
    foreignKeys: Map.groupBy(foreignKeys, ([, table]) => String(table)),
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
  const { id, schema, kind, comment } = table;
  const name = parts.names.get(id) ?? table.name;
  const columns = parts.columns.get(id) ?? [];
  if (columns.length === 0) {
    omitted.push(`${kind} "${name}": it has no column that can be handled`);
    return [];
  }
  const named = new Map(columns.map(({ position, column }) => [position, column.name]));
  const indexes = Map.groupBy(parts.keys.get(id) ?? [], ([, index]) => index);
  const keys = [...indexes.values()].flatMap((rows) => {
    const key = columnsOf(rows, named);
    return key ? [{ isPrimary: Boolean(rows[0]?.[2]), columns: key }] : [];
  });
  const constraints = Map.groupBy(parts.foreignKeys.get(id) ?? [], ([constraint]) => constraint);
  return [{
    name,
    identifier: [schema, table.name],
    kind,
    columns: columns.map(({ column }) => column),
    primaryKey: keys.find(({ isPrimary }) => isPrimary)?.columns ?? [],
    uniqueKeys: keys.filter(({ isPrimary }) => !isPrimary).map((key) => key.columns),
    foreignKeys: [...constraints.values()].flatMap((rows) => {
      const key = columnsOf(rows, named);
      const target = parts.names.get(String(rows[0]?.[2]));
      const references = rows.map(([, , , , column]) => String(column));
      return key && target !== undefined ? [{ columns: key, table: target, references }] : [];
    }),
    ...(comment === undefined ? {} : { comment }),
  }];
}

/** The columns of a key; undefined if one of them was left out. */
function columnsOf(rows: Rows, names: ReadonlyMap<number, string>): readonly string[] | undefined {
  const found = rows.map(([, , , position]) => names.get(Number(position)));
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
