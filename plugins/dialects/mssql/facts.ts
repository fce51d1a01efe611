/**
 * What a database can do, and whether its tables are still what they were.
 *
 * @module
 */

import { catalogLimits, PATIENCE, type Query, queryOn } from "./query.ts";
import type { Isolation, MssqlPool } from "./session.ts";

/** Read once, when the database is connected. */
export interface Facts {
  /** How readers see the data. */
  readonly reading: Isolation;
  /** How writers do. */
  readonly writing: Isolation;
  /** PostgreSQL, which speaks like SQL Server and knows less of it. */
  readonly isBabelfish: boolean;
}

const FACTS = "select snapshot_isolation_state, @@version from sys.databases where name = db_name()";

/** Tables and views: how many there are, when the last of them was changed, and how many columns and keys they have. */
const FINGERPRINT = `select count_big(*), max(t.object_id), convert(varchar(30), max(t.modify_date), 126),
    (select count_big(*) from sys.columns), (select count_big(*) from sys.indexes where is_unique = 1)
  from (select object_id, modify_date from sys.tables union all select object_id, modify_date from sys.views) as t`;

const NEVER: AbortSignal = new AbortController().signal;

/** Waits for a connection no longer than {@link PATIENCE}. */
export async function readFacts(pool: MssqlPool): Promise<Facts> {
  const session = await pool.acquire(NEVER, PATIENCE);
  try {
    const [row] = await queryOn(session, catalogLimits())(FACTS);
    const isBabelfish = /^Babelfish/.test(String(row?.[1]));
    return {
      isBabelfish,
      reading: Number(row?.[0]) === 1 ? "SNAPSHOT" : "READ_COMMITTED",
      // Babelfish takes no hint to lock a row that is compared before it is changed: who comes second fails, and repeats.
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
