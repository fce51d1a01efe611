/**
 * What people wrote may change the session that it runs in: settings, roles, locks, temporary tables. Whoever gets the
 * connection next must not notice.
 *
 * A read that may do so runs in a transaction that is rolled back, which takes back all but locks; those are let go with
 * it, as with a write that is taken back. What is committed keeps all of it, so it is reset behind it. No answer waits for
 * either: a connection runs its statements in order.
 *
 * @module
 */

import type { Lane, Receiver, Sent } from "./lane.ts";
import type { Pool } from "./pool.ts";

const UNLOCK = "SELECT pg_catalog.pg_advisory_unlock_all()";

/** Ends a transaction and keeps nothing: neither what it wrote nor what it did to its session. */
export const FORGET: string = `ROLLBACK; ${UNLOCK}`;

/** What functions and triggers may have left behind. */
const RESET = `RESET ALL; SET SESSION AUTHORIZATION DEFAULT; CLOSE ALL; UNLISTEN *; DISCARD TEMP; ${UNLOCK}`;

/** `DISCARD ALL` without prepared statements, which the driver still knows. */
const RESET_WHOLLY = `${RESET}; DISCARD PLANS; DISCARD SEQUENCES`;

/**
 * Sends a statement that reads, and keeps nothing of what it does to the session. Resolves when it was answered and that has
 * been taken back, whichever is later: before, the server's settings look as if the connection were spoilt, and a statement
 * that the driver tries once more is answered last.
 */
export async function sendContained(lane: Lane, sent: Sent, receiver: Receiver): Promise<void> {
  const answered = Promise.withResolvers<void>();
  void tell(lane, "BEGIN READ ONLY");
  lane.send(sent, {
    resolve(answer) {
      receiver.resolve(answer);
      answered.resolve();
    },
    reject(error) {
      receiver.reject(error);
      answered.resolve();
    },
  });
  await Promise.all([answered.promise, tell(lane, FORGET)]);
}

/** How a transaction ends that only reads. */
export function endOfReading(runsCode: boolean): string {
  return runsCode ? FORGET : "COMMIT";
}

/** What becomes of a transaction that writes. */
export interface Committing {
  readonly committed: Promise<void>;
  /** Resolves when the session is what it was before, or has ended; never rejects. */
  readonly cleaned: Promise<void>;
}

/** Keeps what was written, and nothing else. Sent at once, so that the server has both in one go. */
export function commitClean(lane: Lane): Committing {
  const committed = lane.command("COMMIT");
  return { committed, cleaned: tell(lane, RESET) };
}

/** Gives a connection back that somebody's statements ran on, as it was before. */
export function releaseClean(pool: Pool, lane: Lane): void {
  if (!lane.alive || lane.condemned) return pool.release(lane);
  void lane.command(RESET_WHOLLY).catch(() => lane.destroy()).then(() => pool.release(lane));
}

/** A connection that does not do as it is told is not used again. */
function tell(lane: Lane, sql: string): Promise<void> {
  return lane.command(sql).catch(() => lane.destroy());
}
