/**
 * The queries on `information_schema`: a fixed number of statements, for any number of tables.
 *
 * @module
 */

import type { Server } from "./server.ts";
import type { Session } from "./session.ts";

/** The schemas to list, and the logger of the SQL. */
export interface ListingOptions {
  readonly server: Server;
  /** Databases, which MySQL also calls schemas. */
  readonly schemas: readonly string[];
  echo(sql: string): void;
}

/** A table or view; `kind` is the server's: `BASE TABLE`, `VIEW`. */
export interface ListedTable {
  readonly schema: string;
  readonly name: string;
  readonly kind: string;
  readonly comment: string | null;
}

/** A column, in the server's terms. */
export interface ListedColumn {
  readonly schema: string;
  readonly table: string;
  readonly name: string;
  /** The type's name alone: `varchar`. */
  readonly dataType: string;
  /** The whole type: `varchar(40)`, `bigint unsigned`. */
  readonly columnType: string;
  /** In characters; large lengths arrive as text. */
  readonly length: number | string | null;
  readonly nullable: "YES" | "NO";
  /** The default as SQL; null without one. */
  readonly standard: string | null;
  /** Other attributes: `auto_increment`, `STORED GENERATED`. */
  readonly extra: string;
  readonly comment: string | null;
}

/** A column of a primary or unique key. */
export interface ListedKey {
  readonly schema: string;
  readonly table: string;
  readonly index: string;
  /** Null: an expression. */
  readonly column: string | null;
}

/** A column of a foreign key. */
export interface ListedReference {
  readonly schema: string;
  readonly table: string;
  readonly constraint: string;
  readonly column: string;
  readonly otherSchema: string;
  readonly otherTable: string;
  readonly otherColumn: string;
}

/** A view; `updatable` is `YES` or `NO`. */
export interface ListedView {
  readonly schema: string;
  readonly table: string;
  readonly updatable: string;
}

/** A check constraint, as SQL; only those by which MariaDB marks columns of JSON. */
export interface ListedCheck {
  readonly schema: string;
  readonly table: string;
  readonly clause: string;
}

/** The whole listing of the server. */
export interface Listing {
  readonly tables: readonly ListedTable[];
  readonly columns: readonly ListedColumn[];
  readonly keys: readonly ListedKey[];
  readonly references: readonly ListedReference[];
  readonly views: readonly ListedView[];
  readonly checks: readonly ListedCheck[];
}

/** A query for one kind of object: its properties and their columns. */
interface Question {
  readonly table: string;
  /** The first property is the schema, which restricts the query. */
  readonly properties: Readonly<Record<string, string>>;
  readonly order: string;
  readonly where?: string;
}

const PLACE = { schema: "table_schema", table: "table_name" } as const;

const TABLES: Question = {
  table: "tables",
  properties: { schema: "table_schema", name: "table_name", kind: "table_type", comment: "table_comment" },
  order: "table_schema, table_name",
};

const COLUMNS: Question = {
  table: "columns",
  properties: {
    ...PLACE,
    name: "column_name",
    dataType: "data_type",
    columnType: "column_type",
    length: "character_maximum_length",
    nullable: "is_nullable",
    standard: "column_default",
    extra: "extra",
    comment: "column_comment",
  },
  order: "table_schema, table_name, ordinal_position",
};

const KEYS: Question = {
  table: "statistics",
  properties: { ...PLACE, index: "index_name", column: "column_name" },
  where: "non_unique = 0",
  order: "table_schema, table_name, index_name, seq_in_index",
};

const REFERENCES: Question = {
  table: "key_column_usage",
  properties: {
    ...PLACE,
    constraint: "constraint_name",
    column: "column_name",
    otherSchema: "referenced_table_schema",
    otherTable: "referenced_table_name",
    otherColumn: "referenced_column_name",
  },
  where: "referenced_table_name IS NOT NULL",
  order: "table_schema, table_name, constraint_name, ordinal_position",
};

const VIEWS: Question = {
  table: "views",
  properties: { ...PLACE, updatable: "is_updatable" },
  order: "table_schema, table_name",
};

/** Only MariaDB lists the table, and only MariaDB needs checks. */
const CHECKS: Question = {
  table: "check_constraints",
  properties: { schema: "constraint_schema", table: "table_name", clause: "check_clause" },
  where: "check_clause LIKE 'json_valid(%'",
  order: "constraint_schema, table_name, constraint_name",
};

/** Reads the listing with one connection. */
export async function readListing(session: Session, options: ListingOptions): Promise<Listing> {
  return {
    tables: await ask<ListedTable>(session, TABLES, options),
    columns: await ask<ListedColumn>(session, COLUMNS, options),
    keys: await ask<ListedKey>(session, KEYS, options),
    references: await ask<ListedReference>(session, REFERENCES, options),
    views: await ask<ListedView>(session, VIEWS, options),
    checks: options.server.flavour === "mariadb" ? await ask<ListedCheck>(session, CHECKS, options) : [],
  };
}

async function ask<T>(session: Session, question: Question, { schemas, echo }: ListingOptions): Promise<T[]> {
  const sql = textOf(question, schemas.length);
  echo(`${sql} -- ${JSON.stringify(schemas)}`);
  const answer = await session.run(sql, schemas);
  if (!("rows" in answer)) return [];
  const names = Object.keys(question.properties);
  return answer.rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])) as T);
}

function textOf({ table, properties, where, order }: Question, schemas: number): string {
  const columns = Object.values(properties);
  const place = `${columns[0]} IN (${Array(schemas).fill("?").join(", ")})`;
  const conditions = where === undefined ? place : `${place} AND ${where}`;
  return `SELECT ${
    columns.join(", ")
  } FROM information_schema.${table} WHERE ${conditions} ORDER BY ${order}`;
}
