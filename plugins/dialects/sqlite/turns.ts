/**
 * Turns of the writers of one file, in the order of their requests: each thread of `--workers` has a writer
 * of its own, and SQLite alone would let the others try again and again, in pauses of up to 100 ms.
 *
 * @module
 */

import { bounded } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";

interface TurnOptions {
  readonly signal: AbortSignal;
  /** Seconds to wait for it. */
  readonly seconds: number;
}

/** The Web Locks of all threads, which Deno's types lack. */
interface Locks {
  request(
    name: string,
    options: { readonly signal: AbortSignal },
    hold: () => Promise<void>,
  ): Promise<void>;
}

/**
 * Waits for the turn on the file with this identity; disposing ends it. A thread that dies gives
 * its turn to the next one, because it is a lock of the runtime. Other processes do not take
 * turns: the lock of SQLite decides.
 */
export async function takeTurn(identity: string, { signal, seconds }: TurnOptions): Promise<Disposable> {
  const leaving = new AbortController();
  const taken = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const options = { signal: leaving.signal };
  (navigator as unknown as { readonly locks: Locks }).locks.request(
    `rowhouse writes sqlite ${identity}`,
    options,
    () => {
      taken.resolve();
      return held.promise;
    },
  ).catch(taken.reject);
  await bounded(taken.promise, {
    signal,
    seconds,
    expired: () => new DatabaseFailure("unavailable", "Other transactions are being written"),
    giveUp() {
      leaving.abort();
      held.resolve();
    },
  });
  return { [Symbol.dispose]: () => held.resolve() };
}
