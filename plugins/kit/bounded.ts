/**
 * Waits for work no longer than it may take.
 *
 * @module
 */

import { DatabaseFailure } from "./database_failure.ts";
import { TimerQueue } from "./timer_queue.ts";

/** The signal of work that no caller gives up. */
export const NEVER: AbortSignal = new AbortController().signal;

/** When a wait for work ends before the work. */
export interface Limits {
  /** Ends the wait when it is aborted. Without a signal only the time ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /**
   * In place of {@link signal} for work that is quick most of the time: makes the signal, once the work is
   * not. Making one costs more than a short wait.
   */
  readonly ending?: (() => AbortSignal) | undefined;
  /** Seconds that the wait may take. Zero: no limit. */
  readonly seconds: number;
  /** Makes the failure of a wait whose time is up. */
  expired(): Error;
}

/** Limits of a wait, and the end of the work that reaches one of them. */
export interface Bounds extends Limits {
  /**
   * Ends the work. Called at most once, with the signal's reason or the failure of {@link Limits.expired}.
   * Absent: the work goes on.
   */
  giveUp?(reason: unknown): void;
}

/** Calls `giveUp` when a limit is reached. Returns a function that ends the watch. */
export function watch(bounds: Bounds): () => void {
  return bounds.ending ? watchSlow(bounds, bounds.ending) : watchAll(bounds);
}

function watchAll(bounds: Bounds): () => void {
  const { signal, seconds } = bounds;
  const stop = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  };
  const giveUp = (reason: unknown) => {
    stop();
    bounds.giveUp?.(reason);
  };
  const onAbort = () => giveUp(signal?.reason);
  const timer = seconds > 0 ? setTimeout(() => giveUp(bounds.expired()), milliseconds(seconds)) : undefined;
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  return stop;
}

function watchSlow(bounds: Bounds, ending: () => AbortSignal): () => void {
  return later(() => {
    const seconds = bounds.seconds > 0 ? Math.max(0.001, bounds.seconds - QUICK / 1000) : 0;
    try {
      return watchAll({ ...bounds, seconds, signal: ending() });
    } catch (error) {
      // A database that is closed has no signals any more.
      bounds.giveUp?.(error);
      return () => {};
    }
  });
}

/**
 * Waits for work within limits. Once the work has ended, `giveUp` is not called: the
 * caller alone releases the result.
 */
export function bounded<T>(work: Promise<T>, bounds: Bounds): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const stop = watch({
    ...bounds,
    giveUp(reason) {
      bounds.giveUp?.(reason);
      reject(reason);
    },
  });
  // Two functions: `finally` makes two more promises.
  work.then((result) => {
    stop();
    resolve(result);
  }, (error) => {
    stop();
    reject(error);
  });
  return promise;
}

/** Milliseconds after which {@link later} looks at a signal. */
const QUICK = 30;
const QUICK_TIMERS = new TimerQueue(QUICK);

/**
 * Calls `begin` for work that is not quick. Returns a function that ends the watch, and calls what `begin`
 * has returned.
 */
export function later(begin: () => () => void): () => void {
  let stop = QUICK_TIMERS.start(() => stop = begin());
  return () => stop();
}

/** The limits of one statement: it fails as a timeout after these seconds. Zero: no limit. */
export function statementLimits(seconds: number): Limits {
  return {
    seconds,
    expired: () => new DatabaseFailure("timeout", `The statement took longer than ${seconds} seconds`),
  };
}

/**
 * Passes the chunks of a stream on, and ends a stream without a reader: a client that takes no bytes would
 * hold its session for ever. At most `seconds` may pass before the reader takes the next chunk; zero: no
 * limit. `read` checks its signal before each chunk and throws its reason.
 */
export async function* watchReader<T>(
  { signal, seconds }: { readonly signal: AbortSignal; readonly seconds: number },
  read: (signal: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const over = new AbortController();
  const expired = () => new DatabaseFailure("timeout", `Nobody has read the stream for ${seconds} seconds`);
  for await (const chunk of read(AbortSignal.any([signal, over.signal]))) {
    const stop = watch({ signal, seconds, expired, giveUp: (reason) => over.abort(reason) });
    try {
      yield chunk;
    } finally {
      stop();
    }
  }
}

/**
 * Converts seconds to the milliseconds of a timer, at most 2³¹ − 1: a timer with more would fire at once.
 * They are whole, because engines take no others, and 2.01 seconds are 2009.9999999999998.
 */
export function milliseconds(seconds: number): number {
  return Math.min(Math.ceil(seconds * 1000), 2 ** 31 - 1);
}

/**
 * Throws if the time of work that began at `begun` is up: an engine's own time limit ends some functions with
 * a result instead of an error, which may arrive before the timer here has run.
 */
export function requireEarly(begun: number, { seconds, expired }: Limits): void {
  if (seconds > 0 && performance.now() - begun >= seconds * 1000) throw expired();
}
