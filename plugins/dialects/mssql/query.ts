/**
 * The dialect's own statements, which select no columns of user tables, and the features of the database.
 *
 * @module
 */

import type { DatabaseDefinition, Value } from "@/plugins/contract.ts";
import type { Limits } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { sentName, unicode } from "./bound.ts";
import { compileDecoder } from "./decode.ts";
import type { Isolation, MssqlPool, Session } from "./session.ts";

/** Runs SQL with text parameters, by the names that they are sent with; rows have their values in order. */
export type Query = (sql: string, ...parameters: string[]) => Promise<readonly (readonly Value[])[]>;

const decode = compileDecoder([]);

/** Parameters are sent as text, values come in the driver's form. */
export function queryOn(session: Session, limits: Limits): Query {
  return async (sql, ...parameters) => {
    const rows: Value[][] = [];
    const command = { sql, parameters: parameters.map(unicode) };
    await session.start(command, limits, (cells) => rows.push(decode(cells) as Value[])).finished;
    return rows;
  };
}

/**
 * Seconds to wait for a connection without a caller: enough to distinguish an
 * unreachable server from a busy one.
 */
export const PATIENCE = 20;

/** The limits of reading the catalog, independent of the limit of requests. */
export function catalogLimits(signal: AbortSignal): Limits {
  const expired = () => new DatabaseFailure("timeout", "Reading the catalog took too long");
  return { signal, seconds: CATALOG_LIMIT, expired };
}

/** Seconds. */
const CATALOG_LIMIT = 60;

/** The schemas whose objects are read; those of the login's own schema have plain names. */
export interface Schemas {
  readonly default: string;
  readonly names: readonly string[];
}

/** The served objects, with the columns that tables and views share. */
export const TABLES_AND_VIEWS =
  `(select object_id, schema_id, name, 'table' as kind from sys.tables where is_ms_shipped = 0
    union all select object_id, schema_id, name, 'view' from sys.views where is_ms_shipped = 0)`;

/** A condition on a schema's name, with the names as parameters of the statement. */
export function within(schemas: Schemas): string {
  return `s.name in (${schemas.names.map((_, at) => `@${sentName(at + 1)}`).join(", ")})`;
}

/** The schemas of the definition; by default the login's own. */
export async function readSchemas(query: Query, { dbSchema }: DatabaseDefinition): Promise<Schemas> {
  const [row] = await query("select schema_name()");
  const own = String(row?.[0] ?? "dbo");
  return { default: own, names: dbSchema.length > 0 ? dbSchema : [own] };
}

/** Read once, when the database is connected. */
export interface Facts {
  readonly reading: Isolation;
  readonly writing: Isolation;
  /** A PostgreSQL that speaks SQL Server's protocol with fewer features. */
  readonly isBabelfish: boolean;
}

const FACTS = `select snapshot_isolation_state, @@version,
    (select count(*) from sys.tables where is_memory_optimized = 1)
  from sys.databases where name = db_name()`;

/**
 * Tables and views: their number, the time of the last change, and the number of columns, keys and triggers.
 * And whether the database has snapshots: see {@link Facts}.
 */
const FINGERPRINT = `select count_big(*), max(t.object_id), convert(varchar(30), max(t.modify_date), 126),
    (select count_big(*) from sys.columns), (select count_big(*) from sys.indexes where is_unique = 1),
    (select count_big(*) from sys.triggers),
    (select snapshot_isolation_state from sys.databases where name = db_name())
  from (select object_id, modify_date from sys.tables union all select object_id, modify_date from sys.views) as t`;

/** Waits for a connection up to {@link PATIENCE} seconds. */
export async function readFacts(pool: MssqlPool, signal: AbortSignal): Promise<Facts> {
  const session = await pool.acquire(signal, PATIENCE);
  try {
    const [row] = await queryOn(session, catalogLimits(signal))(FACTS);
    const [snapshots, version, inMemory = 0] = row ?? [];
    const isBabelfish = /^Babelfish/.test(String(version));
    return {
      isBabelfish,
      // The server refuses to read tables in memory by snapshots.
      reading: Number(snapshots) === 1 && Number(inMemory) === 0 ? "SNAPSHOT" : "READ_COMMITTED",
      // Babelfish ignores the hint that locks a row between its check and its update: the
      // second writer fails, and is repeated.
      writing: isBabelfish ? "SNAPSHOT" : "READ_COMMITTED",
    };
  } finally {
    pool.release(session);
  }
}

/** Equal as long as the catalog is. */
export async function readFingerprint(query: Query): Promise<string> {
  const [row] = await query(FINGERPRINT);
  return JSON.stringify(row?.map(String));
}
