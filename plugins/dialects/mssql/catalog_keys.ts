/**
 * The part of the catalog about keys.
 *
 * @module
 */

import { type Query, type Schemas, within } from "./query.ts";

/** Keys by the numbers of their columns. */
export interface CatalogKeys {
  readonly primary: readonly number[];
  readonly unique: readonly (readonly number[])[];
}

/** `key` has the numbers of its columns, `references` the names of the other table's. */
export interface CatalogForeignKey {
  readonly key: readonly number[];
  /** The id of the table it refers to. */
  readonly target: string;
  readonly references: readonly string[];
}

const KEYS = `select i.object_id, i.index_id, i.is_primary_key, c.column_id
  from sys.indexes i
  join sys.index_columns c on c.object_id = i.object_id and c.index_id = i.index_id
  join sys.tables o on o.object_id = i.object_id join sys.schemas s on s.schema_id = o.schema_id
  where i.is_unique = 1 and i.is_disabled = 0 and i.has_filter = 0 and c.key_ordinal > 0 and o.is_ms_shipped = 0`;

/** Primary and unique keys by the id of their table. An index with a filter is unique among some rows only. */
export async function readKeys(query: Query, schemas: Schemas): Promise<ReadonlyMap<string, CatalogKeys>> {
  const sql = `${KEYS} and ${within(schemas)} order by i.object_id, i.index_id, c.key_ordinal`;
  const indexes = Map.groupBy(await query(sql, ...schemas.names), ([table, index]) => `${table} ${index}`);
  const keys = new Map<string, CatalogKeys>();
  for (const rows of indexes.values()) {
    const [[table, , isPrimary] = []] = rows;
    const id = String(table);
    const { primary, unique } = keys.get(id) ?? { primary: [], unique: [] };
    const columns = rows.map(([, , , column]) => Number(column));
    keys.set(id, isPrimary ? { primary: columns, unique } : { primary, unique: [...unique, columns] });
  }
  return keys;
}

const FOREIGN_KEYS =
  `select f.object_id, f.parent_object_id, f.referenced_object_id, c.parent_column_id, r.name
  from sys.foreign_keys f
  join sys.foreign_key_columns c on c.constraint_object_id = f.object_id
  join sys.columns r on r.object_id = c.referenced_object_id and r.column_id = c.referenced_column_id
  join sys.tables o on o.object_id = f.parent_object_id join sys.schemas s on s.schema_id = o.schema_id
  where o.is_ms_shipped = 0`;

/** Foreign keys by the id of the table that declares them. */
export async function readForeignKeys(
  query: Query,
  schemas: Schemas,
): Promise<ReadonlyMap<string, readonly CatalogForeignKey[]>> {
  const sql = `${FOREIGN_KEYS} and ${
    within(schemas)
  } order by f.parent_object_id, f.object_id, c.constraint_column_id`;
  const constraints = Map.groupBy(await query(sql, ...schemas.names), ([constraint]) => String(constraint));
  const keys = new Map<string, CatalogForeignKey[]>();
  for (const rows of constraints.values()) {
    const [[, table, target] = []] = rows;
    const id = String(table);
    const key = {
      key: rows.map(([, , , column]) => Number(column)),
      target: String(target),
      references: rows.map(([, , , , name]) => String(name)),
    };
    keys.set(id, [...keys.get(id) ?? [], key]);
  }
  return keys;
}
