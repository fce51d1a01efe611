/**
 * Waits for work no longer than it may take.
 *
 * @module
 */

/** The limits of a wait. */
export interface Limits {
  /** Left out: only the time ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Zero: no limit. */
  readonly seconds: number;
  /** The failure when the time is up. */
  expired(): Error;
}

/** Limits, and how work ends that reaches one. */
export interface Bounds extends Limits {
  /** Gives the work up; called at most once, with the signal's reason or {@link Limits.expired}. */
  giveUp(reason: unknown): void;
}

/** Gives work up when it reaches its limits. Returns a function that ends the watch. */
export function watch(bounds: Bounds): () => void {
  const { signal, seconds } = bounds;
  const stop = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  };
  const giveUp = (reason: unknown) => {
    stop();
    bounds.giveUp(reason);
  };
  const onAbort = () => giveUp(signal?.reason);
  const timer = seconds > 0 ? setTimeout(() => giveUp(bounds.expired()), seconds * 1000) : undefined;
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  return stop;
}

/** Work that has ended is never given up: whoever gets what it gives is the only one to let go of it. */
export function bounded<T>(work: Promise<T>, bounds: Bounds): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const stop = watch({
    signal: bounds.signal,
    seconds: bounds.seconds,
    expired: () => bounds.expired(),
    giveUp(reason) {
      bounds.giveUp(reason);
      reject(reason);
    },
  });
  work.finally(stop).then(resolve, reject);
  return promise;
}
