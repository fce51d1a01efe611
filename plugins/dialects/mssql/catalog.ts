/**
 * Reads tables, views, columns and keys of the configured schemas. Unsupported
 * ones are left out with a reason.
 *
 * @module
 */

import type {
  Catalog,
  Column,
  DatabaseDefinition,
  DialectHost,
  ForeignKey,
  TableDescription,
  Value,
} from "@/plugins/contract.ts";
import {
  boundsOf,
  declare,
  encodingOf,
  lengthOf,
  typeDetailOf,
  valueTypeOf,
  zoneOf,
} from "./column_types.ts";
import { type Query, readSchemas, type Schemas, TABLES_AND_VIEWS, within } from "./query.ts";

interface CatalogTable {
  readonly id: string;
  readonly schema: string;
  readonly name: string;
  readonly kind: "table" | "view";
  readonly comment: string | undefined;
  /** No trigger on UPDATE or DELETE, which would run although no row changes. */
  readonly withoutTriggers: boolean;
  /** Each of several records has an INSERT of its own, and no trigger may end their transaction. */
  readonly joinsInserts: boolean;
}

type Rows = readonly (readonly Value[])[];

/** The facts about all tables, by their ids. */
interface Parts {
  /** Rows of {@link COLUMNS}. */
  readonly columns: ReadonlyMap<string, Rows>;
  /** Rows of {@link KEYS}. */
  readonly keys: ReadonlyMap<string, Rows>;
  /** Rows of {@link FOREIGN_KEYS}. */
  readonly foreignKeys: ReadonlyMap<string, Rows>;
  readonly names: ReadonlyMap<string, string>;
  /** The server sets TIMESTAMP columns. */
  readonly rowversionIsGenerated: boolean;
}

/** Aliases of types are resolved to system types. The server writes the columns of history tables. */
const COLUMNS = `select c.object_id, c.column_id, c.name, coalesce(b.name, t.name),
    c.max_length, c.precision, c.scale, c.is_nullable, c.is_identity, c.is_computed, c.default_object_id,
    columnproperty(c.object_id, c.name, 'GeneratedAlwaysType'), convert(nvarchar(4000), p.value),
    case when coalesce(b.name, t.name) in ('char', 'varchar', 'text')
      then convert(int, collationproperty(c.collation_name, 'CodePage')) end
  from sys.columns c
  join ${TABLES_AND_VIEWS} as o on o.object_id = c.object_id join sys.schemas s on s.schema_id = o.schema_id
  join sys.types t on t.user_type_id = c.user_type_id
  left join sys.types b on b.user_type_id = c.system_type_id
  left join sys.extended_properties p
    on p.class = 1 and p.major_id = c.object_id and p.minor_id = c.column_id and p.name = 'MS_Description'
  where`;

/** The columns of primary and unique keys. An index with a filter is unique among some rows only. */
const KEYS = `select i.object_id, i.index_id, i.is_primary_key, c.column_id
  from sys.indexes i
  join sys.index_columns c on c.object_id = i.object_id and c.index_id = i.index_id
  join sys.tables o on o.object_id = i.object_id join sys.schemas s on s.schema_id = o.schema_id
  where i.is_unique = 1 and i.is_disabled = 0 and i.has_filter = 0 and c.key_ordinal > 0 and o.is_ms_shipped = 0 and`;

const FOREIGN_KEYS =
  `select f.object_id, f.parent_object_id, f.referenced_object_id, c.parent_column_id, r.name
  from sys.foreign_keys f
  join sys.foreign_key_columns c on c.constraint_object_id = f.object_id
  join sys.columns r on r.object_id = c.referenced_object_id and r.column_id = c.referenced_column_id
  join sys.tables o on o.object_id = f.parent_object_id join sys.schemas s on s.schema_id = o.schema_id
  where o.is_ms_shipped = 0 and`;

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
    query(`${sql} ${within(schemas)} order by ${order}`, ...schemas.names);
  const tables = await readTables(query, schemas);
  const omitted = await findMissing(query, schemas);
  const names = new Map(tables.map(({ id, schema, name }) => {
    return [id, schema === schemas.default ? name : `${schema}.${name}`];
  }));
  const columns = await ask(COLUMNS, "c.object_id, c.column_id");
  const keys = await ask(KEYS, "i.object_id, i.index_id, c.key_ordinal");
  const foreignKeys = await ask(FOREIGN_KEYS, "f.parent_object_id, f.object_id, c.constraint_column_id");
  const parts = {
    columns: Map.groupBy(columns, ([table]) => String(table)),
    keys: Map.groupBy(keys, ([table]) => String(table)),
    foreignKeys: Map.groupBy(foreignKeys, ([, table]) => String(table)),
    names,
    rowversionIsGenerated: !host.ignoreDefaultFields,
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
    `select o.object_id, s.name, o.name, o.kind, convert(nvarchar(4000), p.value),
      objectproperty(o.object_id, 'TableHasUpdateTrigger'), objectproperty(o.object_id, 'TableHasDeleteTrigger'),
      objectproperty(o.object_id, 'TableHasInsertTrigger')
    from ${TABLES_AND_VIEWS} as o join sys.schemas s on s.schema_id = o.schema_id
    left join sys.extended_properties p
      on p.class = 1 and p.major_id = o.object_id and p.minor_id = 0 and p.name = 'MS_Description'
    where ${within(schemas)} order by s.name, o.name`,
    ...schemas.names,
  );
  return rows.map(([id, schema, name, kind, comment, onUpdate, onDelete, onInsert]) => ({
    id: String(id),
    schema: String(schema),
    name: String(name),
    kind: kind === "view" ? "view" : "table",
    comment: typeof comment === "string" && comment !== "" ? comment : undefined,
    withoutTriggers: onUpdate === 0 && onDelete === 0,
    joinsInserts: onInsert === 0,
  }));
}

function describe(table: CatalogTable, parts: Parts, omitted: string[]): TableDescription[] {
  const { id, schema, kind, comment, withoutTriggers, joinsInserts } = table;
  const name = parts.names.get(id) ?? table.name;
  const columns = (parts.columns.get(id) ?? []).flatMap((row) => {
    const column = describeColumn(row, parts.rowversionIsGenerated);
    if (column) return [{ position: Number(row[1]), column }];
    omitted.push(`column "${name}.${row[2]}": type ${row[3]} is not supported`);
    return [];
  });
  if (columns.length === 0) {
    omitted.push(`${kind} "${name}": it has no column that can be handled`);
    return [];
  }
  const named = new Map(columns.map(({ position, column }) => [position, column.name]));
  const keys = [...Map.groupBy(parts.keys.get(id) ?? [], ([, index]) => index).values()];
  const uniqueOf = (isPrimary: boolean) =>
    keys.filter(([key]) => Boolean(key?.[2]) === isPrimary).flatMap((rows) => {
      const key = columnsOf(rows, named);
      return key ? [key] : [];
    });
  return [{
    name,
    identifier: [schema, table.name],
    kind,
    columns: columns.map(({ column }) => column),
    primaryKey: uniqueOf(true)[0] ?? [],
    uniqueKeys: uniqueOf(false),
    foreignKeys: foreignKeysOf(parts.foreignKeys.get(id) ?? [], named, parts).flatMap((key) => {
      if (typeof key !== "string") return [key];
      omitted.push(`foreign key of "${name}": ${key}`);
      return [];
    }),
    ...(comment === undefined ? {} : { comment }),
    ...(withoutTriggers ? { withoutRules: true } : {}),
    ...(joinsInserts ? { joinsInserts } : {}),
  }];
}

/** The foreign keys of a table; in place of one, a text says why it cannot be used. */
function foreignKeysOf(
  rows: Rows,
  named: ReadonlyMap<number, string>,
  { names }: Pick<Parts, "names">,
): readonly (ForeignKey | string)[] {
  return [...Map.groupBy(rows, ([constraint]) => constraint).values()].map((parts) => {
    const columns = columnsOf(parts, named);
    const table = names.get(String(parts[0]?.[2]));
    if (!columns) return "a column of it is left out";
    if (table === undefined) return "the table that it leads to cannot be read";
    return { columns, table, references: parts.map(([, , , , column]) => String(column)) };
  });
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

/** Undefined for an unsupported type. */
function describeColumn(row: readonly Value[], rowversionIsGenerated: boolean): Column | undefined {
  const [, , name, typeName, bytes, precision, scale, nullable, identity, ...rest] = row;
  const [computed, fallback, always, comment, codePage] = rest;
  // Some servers have a separate type `sysname`.
  const base = typeName === "sysname" ? "nvarchar" : String(typeName);
  const type = valueTypeOf(base);
  if (!type) return undefined;
  const facts = { base, bytes: Number(bytes), precision: Number(precision), scale: Number(scale) };
  const declaredType = declare(facts);
  const isRowversion = base === "timestamp";
  const generated = Boolean(computed) || Number(always ?? 0) > 0;
  return {
    name: String(name),
    type,
    declaredType,
    nullable: Boolean(nullable),
    hasDefault: generated || isRowversion || Boolean(identity) || Number(fallback) !== 0,
    generated: generated || (isRowversion && rowversionIsGenerated),
    ...zoneOf(base),
    ...boundsOf(base),
    ...lengthOf(declaredType),
    ...typeDetailOf(declaredType, type),
    ...encodingOf(Number(codePage)),
    ...(identity ? { identity: true } : {}),
    ...(isRowversion && rowversionIsGenerated ? { ignoresGiven: true } : {}),
    ...(typeof comment === "string" && comment !== "" ? { comment } : {}),
  };
}
