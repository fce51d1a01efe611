/**
 * Token buckets: the counters of the throttle. A bucket is one number, the time at which it is full again.
 * Times are milliseconds since 1970.
 *
 * @module
 */

/**
 * The counters. Form logins, failed credentials and messages of identity providers have separate buckets per
 * network. Failures for a login count per network, so that a stranger cannot lock its owner out; `login`
 * counts them over all networks, `slowed` limits each customer while there are too many of those. `current`
 * and `rating` count wrong current passwords and weak new ones of users who are logged in.
 */
export type Bucket =
  | { readonly kind: "form" | "credentials" | "message"; readonly network: string }
  | { readonly kind: "guess" | "slowed"; readonly network: string; readonly login: string }
  | { readonly kind: "login" | "current" | "rating"; readonly login: string };

/** The capacity of a bucket in attempts, and the milliseconds until it regains one. */
export interface Limits {
  readonly burst: number;
  readonly interval: number;
}

/**
 * Computes when a bucket is full from when it was full before, 0 for a new one; undefined leaves it as it is.
 */
export type NextFull = (full: number, now: number) => number | undefined;

/** Stores buckets for all processes that share them. */
export interface BucketStore extends AsyncDisposable {
  /** Changes a bucket, excluding other processes. False if too many of them change it at once. */
  change(bucket: Bucket, next: NextFull): Promise<boolean>;
}

/** A bucket after an attempt; a refused one leaves it as it is. */
export interface Asked {
  readonly full: number;
  /** Milliseconds until an attempt can succeed; 0 if this one does. */
  readonly wait: number;
}

/**
 * Takes one attempt from each bucket or, if one of them is empty, from none. Returns 0, or the
 * milliseconds until it can succeed.
 */
export async function take(store: BucketStore, buckets: readonly Bucket[], limits: Limits): Promise<number> {
  for (const [position, bucket] of buckets.entries()) {
    let wait = 0;
    const isCounted = await store.change(bucket, (before, now) => {
      const asked = takeFrom(before, now, limits);
      wait = asked.wait;
      return wait > 0 ? undefined : asked.full;
    });
    if (isCounted && wait === 0) continue;
    await giveBack(store, buckets.slice(0, position), limits);
    return wait || limits.interval;
  }
  return 0;
}

/** Puts one attempt back into each bucket that is not full. */
export async function giveBack(
  store: BucketStore,
  buckets: readonly Bucket[],
  limits: Limits,
): Promise<void> {
  for (const bucket of buckets) {
    await store.change(bucket, (full, now) => full > now ? putBack(full, now, limits) : undefined);
  }
}

/** Takes one attempt. `full` is 0 for a new bucket. */
export function takeFrom(full: number, now: number, limits: Limits): Asked {
  const next = startOf(full, now, limits) + limits.interval;
  const wait = next - now - limits.burst * limits.interval;
  return wait > 0 ? { full, wait } : { full: next, wait: 0 };
}

/** Puts one attempt back. */
export function putBack(full: number, now: number, limits: Limits): number {
  return Math.max(now, startOf(full, now, limits) - limits.interval);
}

/** Milliseconds between the clocks of nodes that share buckets. */
const SKEW = 60_000;

/** The latest time is that of an empty bucket; one that only a clock set back explains counts for nothing. */
function startOf(full: number, now: number, { burst, interval }: Limits): number {
  const latest = now + burst * interval;
  return full > latest + SKEW ? now : Math.min(Math.max(full, now), latest);
}

/** Distinguishes a bucket from all others. */
export function nameOf({ kind, ...rest }: Bucket): string {
  return JSON.stringify([kind, ...Object.values(rest)]);
}
