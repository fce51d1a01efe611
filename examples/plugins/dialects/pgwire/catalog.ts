/**
 * The catalog as the SQL standard has it, in `information_schema`.
 *
 * @module
 */

import type {
  Ask,
  Catalog,
  Column,
  DatabaseDefinition,
  ForeignKey,
  TableDescription,
  ValueType,
} from "@/plugins/contract.ts";

type Names = readonly (string | null)[];

const COLUMNS = `SELECT table_name::text, column_name::text, data_type::text, character_maximum_length::text,
    numeric_precision::text, numeric_scale::text, is_nullable::text, column_default::text, is_identity::text,
    is_generated::text
  FROM information_schema.columns WHERE table_schema = $1 ORDER BY table_name, ordinal_position`;

const TABLES = `SELECT t.table_name::text, v.is_updatable::text, v.is_insertable_into::text
  FROM information_schema.tables t LEFT JOIN information_schema.views v USING (table_schema, table_name)
  WHERE t.table_schema = $1 AND t.table_type IN ('BASE TABLE', 'VIEW') ORDER BY t.table_name`;

/** Keys with their columns in order; the columns that a foreign key refers to are beside its own. */
const KEYS =
  `SELECT k.table_name::text, c.constraint_type::text, c.constraint_name::text, k.column_name::text,
    o.table_name::text, o.column_name::text
  FROM information_schema.table_constraints c
    JOIN information_schema.key_column_usage k USING (constraint_schema, constraint_name, table_name)
    LEFT JOIN information_schema.referential_constraints r
      ON r.constraint_schema = c.constraint_schema AND r.constraint_name = c.constraint_name
    LEFT JOIN information_schema.key_column_usage o ON o.constraint_schema = r.unique_constraint_schema
      AND o.constraint_name = r.unique_constraint_name AND o.ordinal_position = k.position_in_unique_constraint
  WHERE c.table_schema = $1 AND c.constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')
  ORDER BY k.table_name, c.constraint_name, k.ordinal_position`;

function listing(
  ask: Ask,
  { dbSchema: [schema = "public"] }: DatabaseDefinition,
): Promise<readonly Names[][]> {
  return Promise.all([TABLES, COLUMNS, KEYS].map(async (sql) => [...await ask(sql, [schema])] as Names[]));
}

/** A text that changes with the catalog. */
export async function fingerprintOf(ask: Ask, definition: DatabaseDefinition): Promise<string> {
  return JSON.stringify(await listing(ask, definition));
}

/** The tables and views of the first schema of the definition. */
export async function readCatalog(ask: Ask, definition: DatabaseDefinition): Promise<Catalog> {
  const [tables = [], columns = [], keys = []] = await listing(ask, definition);
  const { dbSchema: [schema = "public"] } = definition;
  const columnsOf = Map.groupBy(columns, ([table]) => table);
  const keysOf = Map.groupBy(keys, ([table]) => table);
  return {
    omitted: [],
    tables: tables.map(([name = "", updatable, insertable]): TableDescription => ({
      name: String(name),
      identifier: [schema, String(name)],
      kind: updatable === null ? "table" : "view",
      columns: (columnsOf.get(name) ?? []).map(columnOf),
      ...keysFrom(keysOf.get(name) ?? []),
      ...(updatable === null ? {} : {
        writable: [
          ...(insertable === "YES" ? ["create" as const] : []),
          ...(updatable === "YES" ? ["update" as const, "delete" as const] : []),
        ],
      }),
    })),
  };
}

const TYPES: readonly (readonly [RegExp, ValueType, Column["zone"]?])[] = [
  [/^(smallint|integer|bigint)$/, "integer"],
  [/^numeric$/, "decimal"],
  [/^(real|double precision)$/, "float"],
  [/^boolean$/, "boolean"],
  [/^date$/, "date"],
  [/^timestamp with time zone/, "datetime", "utc"],
  [/^timestamp/, "datetime"],
  [/^time with time zone/, "time", "offset"],
  [/^time/, "time"],
  [/^bytea$/, "binary"],
  [/^jsonb?$/, "json"],
];

function columnOf(
  [, name, declared, length, precision, scale, nullable, standard, identity, generated]: Names,
): Column {
  const [, type, zone] = TYPES.find(([pattern]) => pattern.test(String(declared))) ?? [undefined, "text"];
  const isExact = type === "decimal" && precision !== null;
  return {
    name: String(name),
    type,
    ...(zone === undefined ? {} : { zone }),
    declaredType: String(declared),
    nullable: nullable === "YES",
    ...(length === null ? {} : { maxLength: Number(length) }),
    ...(isExact ? { detail: { precision: Number(precision), scale: Number(scale) } } : {}),
    hasDefault: standard !== null || identity === "YES" || generated === "ALWAYS",
    ...(identity === "YES" || String(standard).startsWith("nextval(") ? { identity: true } : {}),
    generated: generated === "ALWAYS",
  };
}

function keysFrom(
  rows: readonly Names[],
): Pick<TableDescription, "primaryKey" | "uniqueKeys" | "foreignKeys"> {
  const keys = [...Map.groupBy(rows, ([, , constraint]) => constraint).values()].map((parts) => ({
    kind: parts[0]?.[1],
    columns: parts.map(([, , , column]) => String(column)),
    table: String(parts[0]?.[4]),
    references: parts.map(([, , , , , other]) => String(other)),
  }));
  const ofKind = (kind: string) => keys.filter((key) => key.kind === kind);
  return {
    primaryKey: ofKind("PRIMARY KEY")[0]?.columns ?? [],
    uniqueKeys: ofKind("UNIQUE").map(({ columns }) => columns),
    foreignKeys: ofKind("FOREIGN KEY").map(({ columns, table, references }): ForeignKey => ({
      columns,
      table,
      references,
    })),
  };
}
