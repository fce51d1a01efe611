/**
 * SIGTERM and SIGINT.
 *
 * @module
 */

/** A second SIGINT within this many milliseconds is ignored, because the first may have arrived twice. */
const INSISTENCE = 2000;

/** The signals of the process. */
export interface Signals {
  /** The first SIGTERM or SIGINT: the service stops gracefully. */
  readonly first: Promise<void>;
  /** A later SIGINT: the service stops without waiting for running requests. */
  readonly insistence: Promise<void>;
}

/**
 * The listeners stay until the process ends: service managers and Ctrl-C also signal the program that started this one,
 * which passes the signal on, and without a listener that second signal would end the process.
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
