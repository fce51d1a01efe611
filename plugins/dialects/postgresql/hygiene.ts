/**
 * What people wrote may change the session that it runs in: settings, roles, locks, temporary tables. Whoever gets the
 * connection next must not notice.
 *
 * @module
 */

import type { Lane } from "./lane.ts";
import type { Pool } from "./pool.ts";

/** `DISCARD ALL` without prepared statements, which the driver still knows. */
const RESET =
  "RESET ALL; SET SESSION AUTHORIZATION DEFAULT; CLOSE ALL; UNLISTEN *; DISCARD PLANS; DISCARD TEMP; " +
  "DISCARD SEQUENCES; SELECT pg_catalog.pg_advisory_unlock_all()";

/** Gives a connection back as it was. Nobody waits for it. */
export function releaseClean(pool: Pool, lane: Lane): void {
  if (!lane.alive || lane.condemned) return pool.release(lane);
  void lane.command(RESET).catch(() => lane.destroy()).then(() => pool.release(lane));
}
