/**
 * A token bucket as one number: the time at which it is full again. Pure; times are milliseconds since 1970.
 *
 * @module
 */

/** The capacity of a bucket in attempts, and the milliseconds until it regains one. */
export interface Limits {
  readonly burst: number;
  readonly interval: number;
}

/** A bucket after an attempt; if it was refused, `wait` is above 0 and `full` unchanged. */
export interface Asked {
  readonly full: number;
  /** Milliseconds until an attempt can succeed. */
  readonly wait: number;
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

/** Clamps to an empty bucket; a later time can only come from a clock that was set back. */
function startOf(full: number, now: number, { burst, interval }: Limits): number {
  return Math.min(Math.max(full, now), now + burst * interval);
}
