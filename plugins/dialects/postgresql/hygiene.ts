/**
 * A saved query may change its session: settings, roles, locks, temporary tables. The session is reset before others get
 * it, without delaying the answer. Tables and views are read and changed without a reset.
 *
 * @module
 */

import type { Lane } from "./lane.ts";
import type { Pool } from "./pool.ts";

const UNLOCK = "SELECT pg_catalog.pg_advisory_unlock_all()";

/** Ends the transaction of a read-only saved query. Behind a pooler nothing else can be undone. */
export const FORGET: string = `ROLLBACK; ${UNLOCK}`;

/** `DISCARD ALL` except prepared statements, which the driver still knows. */
const RESET = "RESET ALL; SET SESSION AUTHORIZATION DEFAULT; CLOSE ALL; UNLISTEN *; DISCARD TEMP; " +
  `DISCARD PLANS; DISCARD SEQUENCES; ${UNLOCK}`;

/** Gives a connection back after a saved query. A connection that cannot be reset is closed. */
export function releaseClean(pool: Pool, lane: Lane): void {
  if (!lane.alive || lane.condemned) return pool.release(lane);
  void lane.command(RESET).catch(() => lane.destroy()).then(() => pool.release(lane));
}
