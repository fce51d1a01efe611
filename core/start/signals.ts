/**
 * SIGTERM and SIGINT.
 *
 * @module
 */

/** Milliseconds after which another SIGINT ends the process at once: the first may have come twice. */
const INSISTENCE = 2000;

/** What signals ask for. */
export interface Signals {
  /** The first SIGTERM or SIGINT: the service stops. */
  readonly first: Promise<void>;
  /** A SIGINT that comes later: it does not wait for what is in flight. */
  readonly insistence: Promise<void>;
}

/**
 * The listeners stay until the process ends: service managers and Ctrl-C also signal the program that started this one,
 * which passes the signal on, and one without a listener ends the process.
 */
export function listenForSignals(): Signals {
  const first = Promise.withResolvers<void>();
  const insistence = Promise.withResolvers<void>();
  let since = Infinity;
  const stop = () => {
    since = Math.min(since, performance.now());
    first.resolve();
  };
  Deno.addSignalListener("SIGTERM", stop);
  Deno.addSignalListener("SIGINT", () => {
    if (performance.now() - since > INSISTENCE) insistence.resolve();
    stop();
  });
  return { first: first.promise, insistence: insistence.promise };
}
