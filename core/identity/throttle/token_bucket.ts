/**
 * A token bucket in one number: the time at which it is full again. Pure; times are milliseconds since 1970.
 *
 * @module
 */

/** How many attempts a bucket holds, and after how many milliseconds it gets one back. */
export interface Limits {
  readonly burst: number;
  readonly interval: number;
}

/** A bucket after an attempt was asked of it; `wait` is above 0 when it was refused, and `full` unchanged then. */
export interface Asked {
  readonly full: number;
  /** Milliseconds after which an attempt can succeed. */
  readonly wait: number;
}

/** Takes one attempt. `full` of a bucket that was never used is 0. */
export function takeFrom(full: number, now: number, limits: Limits): Asked {
  const next = startOf(full, now, limits) + limits.interval;
  const wait = next - now - limits.burst * limits.interval;
  return wait > 0 ? { full, wait } : { full: next, wait: 0 };
}

/** Puts one attempt back. */
export function putBack(full: number, now: number, limits: Limits): number {
  return Math.max(now, startOf(full, now, limits) - limits.interval);
}

/** An empty bucket is the most there can be: more comes of a clock that was set back. */
function startOf(full: number, now: number, { burst, interval }: Limits): number {
  return Math.min(Math.max(full, now), now + burst * interval);
}
