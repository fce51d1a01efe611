/**
 * The statements that read the catalog: a fixed number for any number of tables.
 *
 * @module
 */

import type { DatabaseDefinition, Value } from "@/plugins/contract.ts";

/** A table or view. */
export interface RelationRow {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  /** `r` table, `p` partitioned, `v` view, `m` materialized view, `f` foreign table. */
  readonly kind: string;
  /** The supported changes if not all: bits of PostgreSQL's commands. */
  readonly updatable: number | null;
  readonly comment: string | null;
}

/** A column; `relation` is the OID of its table, `number` its position there, from 1. */
export interface ColumnRow {
  readonly relation: number;
  readonly number: number;
  readonly name: string;
  /** The declared type, with domains. */
  readonly declared: string;
  /** The type behind domains: its OID, its kind (`b` base, `e` enum, `c` composite …), its length and so on. */
  readonly base: number;
  readonly baseKind: string;
  readonly baseName: string;
  /** The labels of an enum, as a JSON list. */
  readonly labels: string | null;
  /** Length or digits as PostgreSQL packs them; negative without any. */
  readonly modifier: number;
  readonly notNull: boolean;
  /** The database supplies a value for a new row without one. */
  readonly filled: boolean;
  /** That value is counted: an identity or a sequence. */
  readonly counted: boolean;
  /** Always computed by the database. */
  readonly generated: boolean;
  readonly comment: string | null;
}

/** A unique index over whole columns and all rows. */
export interface IndexRow {
  readonly relation: number;
  readonly primary: boolean;
  /** Numbers of its columns, separated by spaces. */
  readonly columns: string;
}

/** A foreign key of `relation` to `target`, both by OID. */
export interface ForeignKeyRow {
  readonly relation: number;
  readonly name: string;
  readonly target: number;
  readonly targetName: string;
  /** Numbers of columns, separated by spaces. */
  readonly columns: string;
  readonly references: string;
}

/** The names of a row's members in the order of the statement's columns. */
export interface CatalogQuery<Row> {
  readonly sql: string;
  readonly members: readonly (keyof Row & string)[];
}

const RELATIONS_OF_SCHEMAS = `pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = ANY ($1::text[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition`;

/** Partitions are reached through their table. */
export const RELATIONS: CatalogQuery<RelationRow> = {
  sql: `SELECT c.oid, n.nspname, c.relname, c.relkind::text,
      CASE c.relkind WHEN 'm' THEN 0 WHEN 'v' THEN pg_catalog.pg_relation_is_updatable(c.oid, true)
        WHEN 'f' THEN pg_catalog.pg_relation_is_updatable(c.oid, true) END,
      pg_catalog.obj_description(c.oid, 'pg_class')
    FROM ${RELATIONS_OF_SCHEMAS}
    ORDER BY n.nspname, c.relname`,
  members: ["oid", "schema", "name", "kind", "updatable", "comment"],
};

/**
 * A domain may be based on a domain; their constraints and defaults add up. An automatically updatable view only allows
 * writing its columns that are plain columns of the table; triggers accept any.
 */
export const COLUMNS: CatalogQuery<ColumnRow> = {
  sql: `WITH RECURSIVE r AS MATERIALIZED (SELECT c.oid, c.relkind = 'v' AND NOT c.relhastriggers
      AND pg_catalog.pg_relation_is_updatable(c.oid, false) <> 0 AS changes_its_table FROM ${RELATIONS_OF_SCHEMAS}),
    behind (domain, base, modifier, not_null, filled) AS (
      SELECT t.oid, t.typbasetype, t.typtypmod, t.typnotnull, t.typdefault IS NOT NULL
        FROM pg_catalog.pg_type t WHERE t.typtype = 'd'
      UNION ALL
      SELECT b.domain, t.typbasetype, CASE WHEN b.modifier < 0 THEN t.typtypmod ELSE b.modifier END,
          b.not_null OR t.typnotnull, b.filled OR t.typdefault IS NOT NULL
        FROM behind b JOIN pg_catalog.pg_type t ON t.oid = b.base AND t.typtype = 'd'),
    domains AS MATERIALIZED (
      SELECT b.* FROM behind b JOIN pg_catalog.pg_type t ON t.oid = b.base AND t.typtype <> 'd')
    SELECT a.attrelid, a.attnum, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod),
      t.oid, t.typtype::text, t.typname,
      (SELECT pg_catalog.json_agg(e.enumlabel ORDER BY e.enumsortorder)::text FROM pg_catalog.pg_enum e
        WHERE e.enumtypid = t.oid),
      coalesce(d.modifier, a.atttypmod),
      a.attnotnull OR coalesce(d.not_null, false),
      a.atthasdef OR a.attidentity <> '' OR coalesce(d.filled, false),
      a.attidentity <> '' OR (a.atthasdef AND a.attgenerated = ''
        AND pg_catalog.pg_get_expr(f.adbin, f.adrelid) LIKE 'nextval(%'),
      a.attgenerated <> '' OR a.attidentity = 'a'
        OR (r.changes_its_table AND NOT pg_catalog.pg_column_is_updatable(a.attrelid, a.attnum, true)),
      c.description
    FROM r JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN domains d ON d.domain = a.atttypid
      JOIN pg_catalog.pg_type t ON t.oid = coalesce(d.base, a.atttypid)
      LEFT JOIN pg_catalog.pg_attrdef f ON f.adrelid = a.attrelid AND f.adnum = a.attnum
      LEFT JOIN pg_catalog.pg_description c ON c.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass
        AND c.objoid = a.attrelid AND c.objsubid = a.attnum
    ORDER BY a.attrelid, a.attnum`,
  members: [
    ...["relation", "number", "name", "declared", "base", "baseKind", "baseName"] as const,
    ...["labels", "modifier", "notNull", "filled", "counted", "generated", "comment"] as const,
  ],
};

/** Unique constraints have an index, too. Without partial indexes and expressions. */
export const INDEXES: CatalogQuery<IndexRow> = {
  sql: `SELECT i.indrelid, i.indisprimary,
      (SELECT string_agg(k.number::text, ' ' ORDER BY k.place)
        FROM unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY k (number, place) WHERE k.place <= i.indnkeyatts)
    FROM pg_catalog.pg_index i JOIN (SELECT c.oid FROM ${RELATIONS_OF_SCHEMAS}) r ON r.oid = i.indrelid
    WHERE i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
    ORDER BY i.indexrelid`,
  members: ["relation", "primary", "columns"],
};

/**
 * Without the keys that partitions inherit. A partitioned table also gets the keys that each of its partitions declares
 * itself; the columns may have other numbers there.
 */
export const FOREIGN_KEYS: CatalogQuery<ForeignKeyRow> = {
  sql: `WITH r AS MATERIALIZED (SELECT c.oid, c.relkind FROM ${RELATIONS_OF_SCHEMAS}),
    own AS MATERIALIZED (
      SELECT k.oid AS place, k.conrelid AS relation, k.conname::text AS name, k.confrelid AS target,
        array_to_string(k.conkey, ' ') AS columns, array_to_string(k.confkey, ' ') AS referenced
      FROM pg_catalog.pg_constraint k JOIN r ON r.oid = k.conrelid
      WHERE k.contype = 'f' AND k.conparentid = 0),
    leaves AS MATERIALIZED (
      SELECT r.oid AS relation, t.relid AS leaf, count(*) OVER (PARTITION BY r.oid) AS partitions
      FROM r, pg_catalog.pg_partition_tree(r.oid) t WHERE r.relkind = 'p' AND t.isleaf),
    inside AS (
      SELECT k.oid AS place, l.relation, l.leaf, l.partitions, k.conname::text AS name, k.confrelid AS target,
        (SELECT string_agg(p.attnum::text, ' ' ORDER BY x.place)
          FROM unnest(k.conkey) WITH ORDINALITY x (number, place)
            JOIN pg_catalog.pg_attribute a ON a.attrelid = l.leaf AND a.attnum = x.number
            JOIN pg_catalog.pg_attribute p ON p.attrelid = l.relation AND p.attname = a.attname) AS columns,
        array_to_string(k.confkey, ' ') AS referenced
      FROM leaves l JOIN pg_catalog.pg_constraint k ON k.conrelid = l.leaf AND k.contype = 'f'
        JOIN pg_catalog.pg_class c ON c.oid = k.confrelid AND NOT c.relispartition),
    shared AS (
      SELECT min(i.place) AS place, i.relation, min(i.name) AS name, i.target, i.columns, i.referenced FROM inside i
      WHERE NOT EXISTS (SELECT FROM own o WHERE (o.relation, o.target, o.columns, o.referenced)
        = (i.relation, i.target, i.columns, i.referenced))
      GROUP BY i.relation, i.target, i.columns, i.referenced, i.partitions
      HAVING count(DISTINCT i.leaf) = i.partitions)
    SELECT k.relation, k.name, k.target, k.target::pg_catalog.regclass::text, k.columns, k.referenced
    FROM (SELECT * FROM own UNION ALL SELECT * FROM shared) k ORDER BY k.place`,
  members: ["relation", "name", "target", "targetName", "columns", "references"],
};

/** Converts rows to objects of the statement's row type. */
export function namedRows<Row>(
  query: CatalogQuery<Row>,
  rows: readonly (readonly unknown[])[],
): readonly Row[] {
  return rows.map((row) => {
    return Object.fromEntries(query.members.map((member, at) => [member, row[at] as Value])) as Row;
  });
}

/** The schemas of a definition; the first one is the default. */
export function schemasOf({ dbSchema }: DatabaseDefinition): readonly [string, ...string[]] {
  const [first = "public", ...others] = dbSchema;
  return [first, ...others];
}

/** An array of texts as one parameter. */
export function textArray(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`).join(",")}}`;
}
