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
  request(name: string, hold: () => Promise<void>): Promise<void>;
}

/** Waits for the turn on the file with this identity; disposing ends it. */
export type TakeTurn = (identity: string, options: TurnOptions) => Promise<Disposable>;

/** Turns for a process with this number of workers. */
export function turnsOf(workers: number): TakeTurn {
  return workers === 1 ? takeOwnTurn : takeSharedTurn;
}

/** The ends of the last turns of this thread, by identity. */
const last = new Map<string, Promise<void>>();

/** A turn among the writers of this thread. Takes a tenth of the time of {@link takeSharedTurn}. */
async function takeOwnTurn(identity: string, { signal, seconds }: TurnOptions): Promise<Disposable> {
  const before = last.get(identity);
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const ended = before ? before.then(() => promise) : promise;
  last.set(identity, ended);
  void ended.then(() => {
    if (last.get(identity) === ended) last.delete(identity);
  });
  if (before) await bounded(before, { signal, seconds, expired: isTaken, giveUp: () => end() });
  return { [Symbol.dispose]: end };
}

/**
 * A turn among the writers of all threads. A thread that dies gives its turn to the next one, because it is a
 * lock of the runtime. Other processes do not take turns: the lock of SQLite decides.
 */
async function takeSharedTurn(identity: string, { signal, seconds }: TurnOptions): Promise<Disposable> {
  const taken = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  (navigator as unknown as { readonly locks: Locks }).locks.request(
    `rowhouse writes sqlite ${identity}`,
    () => {
      taken.resolve();
      return held.promise;
    },
  ).catch(taken.reject);
  await bounded(taken.promise, {
    signal,
    seconds,
    expired: isTaken,
    // The turn ends as soon as it comes.
    giveUp: () => held.resolve(),
  });
  return { [Symbol.dispose]: () => held.resolve() };
}

function isTaken(): DatabaseFailure {
  return new DatabaseFailure("unavailable", "Other transactions are being written");
}
