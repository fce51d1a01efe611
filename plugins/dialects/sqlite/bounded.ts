/**
 * Waits for work no longer than it may take.
 *
 * @module
 */

export interface Bounds {
  readonly signal: AbortSignal;
  /** Zero: no limit. */
  readonly seconds: number;
  /** What the wait ends with when the time is up. */
  expired(): Error;
  /** Gives the work up; called before the wait ends with the signal's reason or with {@link expired}. */
  giveUp(): void;
}

export function bounded<T>(work: Promise<T>, bounds: Bounds): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const giveUp = (reason: unknown) => {
    bounds.giveUp();
    reject(reason);
  };
  const onAbort = () => giveUp(bounds.signal.reason);
  const timer = bounds.seconds > 0
    ? setTimeout(() => giveUp(bounds.expired()), bounds.seconds * 1000)
    : undefined;
  bounds.signal.addEventListener("abort", onAbort, { once: true });
  if (bounds.signal.aborted) onAbort();
  work.then(resolve, reject);
  return promise.finally(() => {
    clearTimeout(timer);
    bounds.signal.removeEventListener("abort", onAbort);
  });
}
