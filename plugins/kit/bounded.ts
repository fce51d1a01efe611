/**
 * Waits for work no longer than it may take.
 *
 * @module
 */

/** How long is waited, and what ends the wait. */
export interface Bounds {
  /** Left out: only the time ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Zero: no limit. */
  readonly seconds: number;
  /** What the wait ends with when the time is up. */
  expired(): Error;
  /** Gives the work up; called before the wait ends with this reason: the signal's, or {@link expired}. */
  giveUp(reason: unknown): void;
}

/** Work that has ended is never given up: whoever gets what it gives is the only one to let go of it. */
export function bounded<T>(work: Promise<T>, bounds: Bounds): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const stop = () => {
    clearTimeout(timer);
    bounds.signal?.removeEventListener("abort", onAbort);
  };
  const giveUp = (reason: unknown) => {
    stop();
    bounds.giveUp(reason);
    reject(reason);
  };
  const onAbort = () => giveUp(bounds.signal?.reason);
  const timer = bounds.seconds > 0
    ? setTimeout(() => giveUp(bounds.expired()), bounds.seconds * 1000)
    : undefined;
  bounds.signal?.addEventListener("abort", onAbort, { once: true });
  if (bounds.signal?.aborted) onAbort();
  work.finally(stop).then(resolve, reject);
  return promise;
}
