/**
 * The signals of the process.
 *
 * @module
 */

/** A second SIGINT within this many milliseconds is ignored, because the first may have arrived twice. */
const INSISTENCE = 2000;

/**
 * `first`: SIGTERM or SIGINT, the service stops gracefully. `insistence`: a later SIGINT, it stops without
 * waiting for running requests. The listeners stay until the process ends: service managers and Ctrl-C
 * also signal the program that started this one, which passes the signal on, and without a listener that
 * second signal would end the process.
 */
export function listenForSignals(): {
  readonly first: Promise<Deno.Signal>;
  readonly insistence: Promise<void>;
} {
  const first = Promise.withResolvers<Deno.Signal>();
  const insistence = Promise.withResolvers<void>();
  let since = Infinity;
  const stop = (signal: Deno.Signal) => {
    since = Math.min(since, performance.now());
    first.resolve(signal);
  };
  Deno.addSignalListener("SIGTERM", () => stop("SIGTERM"));
  Deno.addSignalListener("SIGINT", () => {
    if (performance.now() - since > INSISTENCE) insistence.resolve();
    stop("SIGINT");
  });
  return { first: first.promise, insistence: insistence.promise };
}

/** Calls back on SIGHUP, by which programs that move logs away ask for new files. Every thread hears it. */
export function onHangUp(reopen: () => void): Disposable {
  if (Deno.build.os === "windows") return { [Symbol.dispose]: () => {} };
  Deno.addSignalListener("SIGHUP", reopen);
  return { [Symbol.dispose]: () => Deno.removeSignalListener("SIGHUP", reopen) };
}
