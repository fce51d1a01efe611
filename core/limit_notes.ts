/**
 * Tells the audit log who has to wait because they have tried too often.
 *
 * @module
 */

import type { Audit } from "./audit.ts";
import type { Bucket } from "./throttle.ts";

/** Notes the buckets of an attempt that was not let through. */
export type NoteLimit = (buckets: readonly Bucket[]) => void;

/** Milliseconds in which one network has one line: whoever tries on and on must not wash older lines out of the log. */
const QUIET = 60_000;
/** Networks that are remembered; the one that was noted first is forgotten when there are more. */
const MOST = 10_000;

/** `now` is milliseconds since 1970. */
export function createLimitNotes({ audit, now }: { readonly audit: Audit; now(): number }): NoteLimit {
  const noted = new Map<string, number>();
  return (buckets) => {
    const network = buckets.flatMap((bucket) => "network" in bucket ? [bucket.network] : []).join();
    const [login] = buckets.flatMap((bucket) => "login" in bucket ? [bucket.login] : []);
    const at = now();
    const before = noted.get(network);
    if (before !== undefined && at >= before && at - before < QUIET) return;
    noted.delete(network);
    noted.set(network, at);
    const [oldest] = noted.size > MOST ? noted.keys() : [];
    if (oldest !== undefined) noted.delete(oldest);
    audit.record({
      action: "throttle",
      outcome: "refused",
      address: network,
      reason: "too many attempts",
      ...(login === undefined ? {} : { user: login }),
    });
  };
}
