/**
 * The part of the catalog about columns.
 *
 * @module
 */

import type { Column, Value } from "@/plugins/contract.ts";
import { boundsOf, declare, encodingOf, lengthOf, valueTypeOf, zoneOf } from "./column_types.ts";
import { type Query, type Schemas, TABLES_AND_VIEWS, within } from "./query.ts";

/** A column with the number that keys refer to. */
export interface CatalogColumn {
  /** The number by which keys refer to it. */
  readonly position: number;
  readonly column: Column;
}

/** The options of reading columns. */
export interface ColumnOptions {
  /** The server sets TIMESTAMP columns. */
  readonly rowversionIsGenerated: boolean;
  /** Called for every unsupported column: the id of its table, its name and type. */
  omit(column: { readonly id: string; readonly name: string; readonly type: string }): void;
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
    on p.class = 1 and p.major_id = c.object_id and p.minor_id = c.column_id and p.name = 'MS_Description'`;

/** The columns of every table, by its id. */
export async function readColumns(
  query: Query,
  schemas: Schemas,
  options: ColumnOptions,
): Promise<ReadonlyMap<string, readonly CatalogColumn[]>> {
  const sql = `${COLUMNS} where ${within(schemas)} order by c.object_id, c.column_id`;
  const columns = new Map<string, CatalogColumn[]>();
  for (const row of await query(sql, ...schemas.names)) {
    const id = String(row[0]);
    const column = describe(row, options);
    if (!column) continue;
    const position = Number(row[1]);
    columns.set(id, [...columns.get(id) ?? [], { position, column }]);
  }
  return columns;
}

function describe(row: readonly Value[], { rowversionIsGenerated, omit }: ColumnOptions): Column | undefined {
  const [id, , name, typeName, bytes, precision, scale, nullable, identity, ...rest] = row;
  const [computed, fallback, always, comment, codePage] = rest;
  // Some servers have a separate type `sysname`.
  const base = typeName === "sysname" ? "nvarchar" : String(typeName);
  const type = valueTypeOf(base);
  if (!type) {
    omit({ id: String(id), name: String(name), type: String(typeName) });
    return undefined;
  }
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
    ...encodingOf(Number(codePage)),
    ...(identity ? { identity: true } : {}),
    ...(isRowversion && rowversionIsGenerated ? { ignoresGiven: true } : {}),
    ...(typeof comment === "string" && comment !== "" ? { comment } : {}),
  };
}
