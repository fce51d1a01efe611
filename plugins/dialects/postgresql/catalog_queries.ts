/**
 * The statements that read the catalog: a fixed number for any number of tables.
 *
 * @module
 */

import type { DatabaseDefinition } from "@/plugins/contract.ts";

/** A table or view. */
export interface RelationRow {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  /** `r` table, `p` partitioned, `v` view, `m` materialized view, `f` foreign table. */
  readonly kind: string;
  /** The supported changes if not all: bits of PostgreSQL's commands. */
  readonly updatable: number | null;
  /** It has no rules and no triggers; nor has a part of it, because it has no parts. */
  readonly plain: boolean;
  /** Other tables inherit from it: their records are among its records, but not under its keys. */
  readonly inherited: boolean;
  readonly comment: string | null;
}

/** A column; `relation` is the OID of its table, `number` its position there, from 1. */
export interface ColumnRow {
  readonly relation: number;
  readonly number: number;
  readonly name: string;
  /** The declared type, with domains. */
  readonly declared: string;
  /**
   * The type behind domains: its OID, its kind (`b` base, `e` enum, `c` composite …), its length and so on.
   */
  readonly base: number;
  readonly baseKind: string;
  readonly baseName: string;
  /** The type, or that of an array's elements, has an order and therefore equality. */
  readonly ordered: boolean;
  /** The labels of an enum. */
  readonly labels: readonly string[] | null;
  /** The quoted name of an enum behind a domain. */
  readonly castTo: string | null;
  /** The checks of this column alone that each of its rows has passed. */
  readonly checks: readonly string[] | null;
  /** Length or digits as PostgreSQL packs them, for money its decimals; negative without any. */
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

const RELATIONS_OF_SCHEMAS = `pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = ANY ($1::text[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition`;

/** Partitions are reached through their table. */
const RELATIONS = `SELECT c.oid::int8, n.nspname AS schema, c.relname AS name, c.relkind::text AS kind,
      CASE c.relkind WHEN 'm' THEN 0 WHEN 'v' THEN pg_catalog.pg_relation_is_updatable(c.oid, true)
        WHEN 'f' THEN pg_catalog.pg_relation_is_updatable(c.oid, true) END AS updatable,
      c.relkind = 'r' AND NOT c.relhasrules AND NOT c.relhassubclass AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal) AS plain,
      c.relkind = 'r' AND c.relhassubclass AS inherited, pg_catalog.obj_description(c.oid, 'pg_class') AS comment
    FROM ${RELATIONS_OF_SCHEMAS}
    ORDER BY n.nspname, c.relname`;

/**
 * A domain may be based on a domain; their constraints and defaults add up. An automatically updatable view
 * only allows writing its columns that are plain columns of the table; triggers accept any.
 */
const COLUMNS = `WITH RECURSIVE r AS MATERIALIZED (SELECT c.oid, c.relkind = 'v' AND NOT c.relhastriggers
      AND pg_catalog.pg_relation_is_updatable(c.oid, false) <> 0 AS changes_its_table FROM ${RELATIONS_OF_SCHEMAS}),
    behind (domain, base, modifier, not_null, filled) AS (
      SELECT t.oid, t.typbasetype, t.typtypmod, t.typnotnull, t.typdefault IS NOT NULL
        FROM pg_catalog.pg_type t WHERE t.typtype = 'd'
      UNION ALL
      SELECT b.domain, t.typbasetype, CASE WHEN b.modifier < 0 THEN t.typtypmod ELSE b.modifier END,
          b.not_null OR t.typnotnull, b.filled OR t.typdefault IS NOT NULL
        FROM behind b JOIN pg_catalog.pg_type t ON t.oid = b.base AND t.typtype = 'd'),
    domains AS MATERIALIZED (
      SELECT b.* FROM behind b JOIN pg_catalog.pg_type t ON t.oid = b.base AND t.typtype <> 'd'),
    ordered (type) AS (
      SELECT o.opcintype FROM pg_catalog.pg_opclass o JOIN pg_catalog.pg_am m ON m.oid = o.opcmethod
        WHERE m.amname = 'btree' AND o.opcdefault
      UNION
      SELECT k.castsource FROM ordered o JOIN pg_catalog.pg_cast k ON k.casttarget = o.type
        WHERE k.castmethod = 'b' AND k.castcontext = 'i'),
    checks AS MATERIALIZED (
      SELECT k.conrelid AS relation, k.conkey[1] AS number,
        pg_catalog.json_agg(pg_catalog.pg_get_constraintdef(k.oid) ORDER BY k.conname) AS texts
      FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class c ON c.oid = k.conrelid AND c.relkind IN ('r', 'p')
      WHERE k.contype = 'c' AND k.convalidated AND pg_catalog.cardinality(k.conkey) = 1
        AND k.conrelid IN (SELECT oid FROM r)
      GROUP BY k.conrelid, k.conkey[1])
    SELECT a.attrelid::int8 AS relation, a.attnum AS number, a.attname AS name,
      pg_catalog.format_type(a.atttypid, a.atttypmod) AS declared,
      t.oid::int8 AS base, t.typtype::text AS "baseKind", t.typname AS "baseName",
      coalesce(e.typtype, t.typtype) NOT IN ('b', 'c')
        OR coalesce(e.oid, t.oid) IN (SELECT o.type FROM ordered o) AS ordered,
      (SELECT pg_catalog.json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_catalog.pg_enum e
        WHERE e.enumtypid = t.oid) AS labels,
      CASE WHEN t.typtype = 'e' AND d.domain IS NOT NULL
        THEN pg_catalog.format('%s.%I', t.typnamespace::pg_catalog.regnamespace, t.typname) END AS "castTo",
      k.texts AS checks,
      CASE t.oid WHEN 'pg_catalog.money'::pg_catalog.regtype
        THEN pg_catalog.scale(0::pg_catalog.money::pg_catalog.numeric)
        ELSE coalesce(d.modifier, a.atttypmod) END AS modifier,
      a.attnotnull OR coalesce(d.not_null, false) AS "notNull",
      a.atthasdef OR a.attidentity <> '' OR coalesce(d.filled, false) AS filled,
      a.attidentity <> '' OR (a.atthasdef AND a.attgenerated = ''
        AND pg_catalog.pg_get_expr(f.adbin, f.adrelid) LIKE 'nextval(%') AS counted,
      a.attgenerated <> '' OR a.attidentity = 'a'
        OR (r.changes_its_table AND NOT pg_catalog.pg_column_is_updatable(a.attrelid, a.attnum, true)) AS generated,
      c.description AS comment
    FROM r JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN domains d ON d.domain = a.atttypid
      LEFT JOIN checks k ON k.relation = a.attrelid AND k.number = a.attnum
      JOIN pg_catalog.pg_type t ON t.oid = coalesce(d.base, a.atttypid)
      LEFT JOIN domains m ON m.domain = t.typelem
      LEFT JOIN pg_catalog.pg_type e ON e.oid = coalesce(m.base, t.typelem) AND t.typcategory = 'A'
      LEFT JOIN pg_catalog.pg_attrdef f ON f.adrelid = a.attrelid AND f.adnum = a.attnum
      LEFT JOIN pg_catalog.pg_description c ON c.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass
        AND c.objoid = a.attrelid AND c.objsubid = a.attnum
    ORDER BY a.attrelid, a.attnum`;

/** Unique constraints have an index, too. Without partial indexes and expressions. */
const INDEXES = `SELECT i.indrelid::int8 AS relation, i.indisprimary AS "primary",
      (SELECT string_agg(k.number::text, ' ' ORDER BY k.place)
        FROM unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY k (number, place) WHERE k.place <= i.indnkeyatts) AS columns
    FROM pg_catalog.pg_index i JOIN (SELECT c.oid FROM ${RELATIONS_OF_SCHEMAS}) r ON r.oid = i.indrelid
    WHERE i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
    ORDER BY i.indexrelid`;

/**
 * Without the keys that partitions inherit. A partitioned table also gets the keys that each of its
 * partitions declares itself; the columns may have other numbers there.
 */
const FOREIGN_KEYS = `WITH r AS MATERIALIZED (SELECT c.oid, c.relkind FROM ${RELATIONS_OF_SCHEMAS}),
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
    SELECT k.relation::int8, k.name, k.target::int8, k.target::pg_catalog.regclass::text AS "targetName", k.columns,
      k.referenced AS "references"
    FROM (SELECT * FROM own UNION ALL SELECT * FROM shared) k ORDER BY k.place`;

/** The queries of the catalog. Their parameter is a {@link textArray} of schemas. */
export const QUERIES = { RELATIONS, COLUMNS, INDEXES, FOREIGN_KEYS } as const;

/** Gives each row of a query as one JSON object, whose members are the columns. */
export function asJson(query: string): string {
  return `SELECT pg_catalog.row_to_json(q)::text FROM (${query}) q`;
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
