/**
 * Waits for work no longer than it may take.
 *
 * @module
 */

export interface Bounds {
  /** Zero: no limit. */
  readonly seconds: number;
  /** What the wait ends with when the time is up. */
  expired(): Error;
  /** Gives the work up; called before the wait ends with this reason. */
  giveUp(reason: unknown): void;
}

/**
 * Ends with the work, or with the signal's reason, or when the time is up. Work that has ended is never given up: whoever
 * gets what it gives is the only one to let go of it.
 */
export function bounded<T>(work: Promise<T>, bounds: Bounds, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const stop = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  };
  const giveUp = (reason: unknown) => {
    stop();
    bounds.giveUp(reason);
    reject(reason);
  };
  const onAbort = () => giveUp(signal.reason);
  const timer = bounds.seconds > 0
    ? setTimeout(() => giveUp(bounds.expired()), bounds.seconds * 1000)
    : undefined;
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  work.finally(stop).then(resolve, reject);
  return promise;
}

/**
 * Refuses what comes after its time: the server's own limit ends some functions (`BENCHMARK`, `SLEEP`) with a result instead
 * of an error, and that may be here before our timer has run.
 */
export async function inTime<T>(
  work: () => Promise<T>,
  { seconds, expired }: Pick<Bounds, "seconds" | "expired">,
): Promise<T> {
  const started = performance.now();
  const result = await work();
  if (seconds > 0 && performance.now() - started >= seconds * 1000) throw expired();
  return result;
}

/** Milliseconds after which it is worth while to watch over work. */
const QUICK = 30;

/** The same for work that is nearly always quick: the signal is not asked for until then, because making it has a price. */
export function boundedLater<T>(work: Promise<T>, bounds: Bounds, signal: () => AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => {
    const seconds = bounds.seconds > 0 ? Math.max(0.001, bounds.seconds - QUICK / 1000) : 0;
    const rest: Bounds = {
      seconds,
      expired: () => bounds.expired(),
      giveUp: (reason) => bounds.giveUp(reason),
    };
    bounded(work, rest, signal()).then(resolve, reject);
  }, QUICK);
  const settle = <V>(end: (value: V) => void) => (value: V) => {
    clearTimeout(timer);
    end(value);
  };
  work.then(settle(resolve), settle(reject));
  return promise;
}
