/**
 * Work of plugins that may never end.
 *
 * @module
 */

import type { Eventual } from "./eventual.ts";

/** The result of the work; rejects with `expired` when the time is up first. A result that is there costs nothing. */
export function inTime<T>(work: Eventual<T>, seconds: number, expired: () => Error): Eventual<T> {
  if (!(work instanceof Promise)) return work;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(expired()), seconds * 1000);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}
