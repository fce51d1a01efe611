/**
 * The features of a database, and a fingerprint of its tables.
 *
 * @module
 */

import { NEVER } from "@/plugins/kit/bounded.ts";
import { catalogLimits, PATIENCE, type Query, queryOn } from "./query.ts";
import type { Isolation, MssqlPool } from "./session.ts";

/** Read once, when the database is connected. */
export interface Facts {
  /** The isolation of readers. */
  readonly reading: Isolation;
  /** The isolation of writers. */
  readonly writing: Isolation;
  /** A PostgreSQL that speaks SQL Server's protocol with fewer features. */
  readonly isBabelfish: boolean;
}

const FACTS = "select snapshot_isolation_state, @@version from sys.databases where name = db_name()";

/** Tables and views: their number, the time of the last change, and the number of columns and keys. */
const FINGERPRINT = `select count_big(*), max(t.object_id), convert(varchar(30), max(t.modify_date), 126),
    (select count_big(*) from sys.columns), (select count_big(*) from sys.indexes where is_unique = 1)
  from (select object_id, modify_date from sys.tables union all select object_id, modify_date from sys.views) as t`;

/** Waits for a connection up to {@link PATIENCE} seconds. */
export async function readFacts(pool: MssqlPool): Promise<Facts> {
  const session = await pool.acquire(NEVER, PATIENCE);
  try {
    const [row] = await queryOn(session, catalogLimits())(FACTS);
    const isBabelfish = /^Babelfish/.test(String(row?.[1]));
    return {
      isBabelfish,
      reading: Number(row?.[0]) === 1 ? "SNAPSHOT" : "READ_COMMITTED",
      // Babelfish ignores the hint that locks a row between its check and its update: the second writer fails, and is
      // repeated.
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
