/**
 * The queries on `information_schema`: a fixed number of statements, for any number of tables.
 *
 * @module
 */

import type { Echo } from "@/plugins/kit/echo.ts";
import type { Server } from "./server.ts";
import type { Session } from "./session.ts";

interface ListingOptions {
  readonly server: Server;
  /** The schemas to list. */
  readonly schemas: readonly string[];
  readonly echo: Echo;
}

/** A table or view; `kind` is the server's: `BASE TABLE`, `VIEW`. */
export interface ListedTable {
  readonly schema: string;
  readonly name: string;
  readonly kind: string;
  /** The storage engine: `InnoDB`; null of a view. */
  readonly engine: string | null;
  readonly comment: string | null;
}

/** The table that a row belongs to. */
export interface Placed {
  readonly schema: string;
  readonly table: string;
}

/** A column, in the server's terms. */
export interface ListedColumn extends Placed {
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
  /** The SQL of a computed column; `ROW END` of a system-versioned table. */
  readonly expression: string | null;
  readonly comment: string | null;
}

/** A column of a primary or unique key; null: an expression. */
export interface ListedKey extends Placed {
  readonly index: string;
  readonly column: string | null;
}

/** A column of a foreign key. */
export interface ListedReference extends Placed {
  readonly constraint: string;
  readonly column: string;
  readonly otherSchema: string;
  readonly otherTable: string;
  readonly otherColumn: string;
}

/** The whole listing of the server. */
export interface Listing {
  /** Those of the definition that the login may use. */
  readonly schemas: readonly { readonly name: string }[];
  readonly tables: readonly ListedTable[];
  readonly columns: readonly ListedColumn[];
  readonly keys: readonly ListedKey[];
  readonly references: readonly ListedReference[];
  /** `updatable` is `YES` or `NO`. */
  readonly views: readonly (Placed & { readonly updatable: string })[];
  /** Check constraints, as SQL; only those by which MariaDB marks columns of JSON. */
  readonly checks: readonly (Placed & { readonly clause: string })[];
}

/** By bytes: names that differ only in case would come in another order each time. */
const PLACE = "CAST(table_schema AS BINARY), CAST(table_name AS BINARY)";

/** The name of each listed column is its alias; `(?)` stands for the schemas. */
const QUERIES: { readonly [Kind in keyof Listing]: string } = {
  schemas: `SELECT schema_name AS 'name' FROM information_schema.schemata WHERE schema_name IN (?)
    ORDER BY CAST(schema_name AS BINARY)`,
  tables: `SELECT table_schema AS 'schema', table_name AS 'name', table_type AS 'kind', engine AS 'engine',
      table_comment AS 'comment' FROM information_schema.tables WHERE table_schema IN (?) ORDER BY ${PLACE}`,
  columns:
    `SELECT table_schema AS 'schema', table_name AS 'table', column_name AS 'name', data_type AS 'dataType',
      column_type AS 'columnType', character_maximum_length AS 'length', is_nullable AS 'nullable',
      column_default AS 'standard', extra AS 'extra', generation_expression AS 'expression',
      column_comment AS 'comment'
    FROM information_schema.columns WHERE table_schema IN (?)
    ORDER BY ${PLACE}, ordinal_position`,
  keys:
    `SELECT table_schema AS 'schema', table_name AS 'table', index_name AS 'index', column_name AS 'column'
    FROM information_schema.statistics WHERE table_schema IN (?) AND non_unique = 0
    ORDER BY ${PLACE}, index_name, seq_in_index`,
  references: `SELECT table_schema AS 'schema', table_name AS 'table', constraint_name AS 'constraint',
      column_name AS 'column', referenced_table_schema AS 'otherSchema', referenced_table_name AS 'otherTable',
      referenced_column_name AS 'otherColumn'
    FROM information_schema.key_column_usage WHERE table_schema IN (?) AND referenced_table_name IS NOT NULL
    ORDER BY ${PLACE}, constraint_name, ordinal_position`,
  views: `SELECT table_schema AS 'schema', table_name AS 'table', is_updatable AS 'updatable'
    FROM information_schema.views WHERE table_schema IN (?) ORDER BY ${PLACE}`,
  checks: `SELECT constraint_schema AS 'schema', table_name AS 'table', check_clause AS 'clause'
    FROM information_schema.check_constraints WHERE constraint_schema IN (?) AND check_clause LIKE 'json_valid(%'
    ORDER BY CAST(constraint_schema AS BINARY), CAST(table_name AS BINARY), constraint_name`,
};

/** Reads the listing with one connection. */
export async function readListing(session: Session, options: ListingOptions): Promise<Listing> {
  const list = <Kind extends keyof Listing>(kind: Kind): Promise<Listing[Kind]> =>
    ask(session, QUERIES[kind], options);
  return {
    schemas: await list("schemas"),
    tables: await list("tables"),
    columns: await list("columns"),
    keys: await list("keys"),
    references: await list("references"),
    views: await list("views"),
    // Only MariaDB lists the tables of checks, and only MariaDB needs them.
    checks: options.server.flavour === "mariadb" ? await list("checks") : [],
  };
}

async function ask<T>(session: Session, query: string, { schemas, echo }: ListingOptions): Promise<T> {
  const sql = query.replace("(?)", `(${schemas.map(() => "?").join(", ")})`);
  echo(sql, schemas);
  const answer = await session.run(sql, schemas);
  if (!("rows" in answer)) return [] as T;
  const names = answer.fields.map(({ label }) => label);
  return answer.rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]]))) as T;
}
