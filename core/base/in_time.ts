/**
 * Work of plugins that may never end.
 *
 * @module
 */

import type { Eventual } from "./eventual.ts";

/**
 * The result of the work; rejects with `expired` when the time is up first. A result that is there costs
 * nothing. If `waitsFor` returns a promise at the end of the time, the work waits for something else: the
 * time then begins anew once the promise has settled.
 */
export function inTime<T>(
  work: Eventual<T>,
  seconds: number,
  expired: () => Error,
  waitsFor?: () => Promise<unknown> | undefined,
): Eventual<T> {
  if (!(work instanceof Promise)) return work;
  const late = Promise.withResolvers<never>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const begin = () => {
    if (!isOver) timer = setTimeout(end, seconds * 1000);
  };
  const end = () => {
    const other = waitsFor?.();
    if (other) other.then(begin, begin);
    else late.reject(expired());
  };
  begin();
  return Promise.race([work, late.promise]).finally(() => {
    isOver = true;
    clearTimeout(timer);
  });
}
