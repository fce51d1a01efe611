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
  const timer = seconds > 0 ? setTimeout(() => giveUp(bounds.expired()), milliseconds(seconds)) : undefined;
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

/** Milliseconds after which it is worth while to watch over work. */
const QUICK = 30;

/** Waits as {@link bounded} does; makes the signal only after the work has been slow, because making it has a price. */
export function boundedLater<T>(
  work: Promise<T>,
  bounds: Omit<Bounds, "signal">,
  signal: () => AbortSignal,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => {
    const rest: Bounds = {
      signal: signal(),
      seconds: bounds.seconds > 0 ? Math.max(0.001, bounds.seconds - QUICK / 1000) : 0,
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

/** The length of a timer, which holds no more than 31 bits. */
export function milliseconds(seconds: number): number {
  return Math.min(seconds * 1000, 2 ** 31 - 1);
}
