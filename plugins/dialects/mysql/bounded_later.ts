/**
 * Work that is nearly always quick, or whose end may be mistaken for a result.
 *
 * @module
 */

import { bounded, type Bounds } from "@/plugins/kit/bounded.ts";

/** The limits of one piece of work; its signal comes later. */
export type Limits = Omit<Bounds, "signal">;

/**
 * Refuses what comes after its time: the server's own limit ends some functions (`BENCHMARK`, `SLEEP`) with a result instead
 * of an error, and that may be here before our timer has run.
 */
export async function inTime<T>(
  work: () => Promise<T>,
  { seconds, expired }: Pick<Limits, "seconds" | "expired">,
): Promise<T> {
  const started = performance.now();
  const result = await work();
  if (seconds > 0 && performance.now() - started >= seconds * 1000) throw expired();
  return result;
}

/** Milliseconds after which it is worth while to watch over work. */
const QUICK = 30;

/** Waits as {@link bounded} does; the signal is not asked for until the work has been slow, because making it has a price. */
export function boundedLater<T>(work: Promise<T>, bounds: Limits, signal: () => AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => {
    const seconds = bounds.seconds > 0 ? Math.max(0.001, bounds.seconds - QUICK / 1000) : 0;
    const rest: Bounds = {
      signal: signal(),
      seconds,
      expired: () => bounds.expired(),
      giveUp: (reason) => bounds.giveUp(reason),
    };
    bounded(work, rest).then(resolve, reject);
  }, QUICK);
  const settle = <V>(end: (value: V) => void) => (value: V) => {
    clearTimeout(timer);
    end(value);
  };
  work.then(settle(resolve), settle(reject));
  return promise;
}
