/**
 * Work that may take too long, and work of plugins that may never end.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";
import type { Log } from "@/plugins/contract.ts";
import { bounded } from "@/plugins/kit/bounded.ts";
import { settlesWithin } from "@/plugins/kit/deadline.ts";
import type { Eventual } from "./eventual.ts";

/** Seconds that a plugin may take to end something before the service goes on without it. */
const ENDING = 5;

/**
 * Ends what a plugin has begun. Never throws, and does not wait for ever. `late` and `failed` begin the lines
 * in the log.
 */
export async function endInTime(
  work: AsyncDisposable,
  { late, failed, log }: { readonly late: string; readonly failed: string; readonly log: Log },
): Promise<void> {
  const ending = Promise.try(() => work[Symbol.asyncDispose]());
  try {
    if (await settlesWithin(ending, 1000 * ENDING)) return;
    log.error(`${late} after ${ENDING} seconds`);
    ending.catch((error: unknown) => log.error(failed, error));
  } catch (error) {
    log.error(failed, error);
  }
}

/**
 * The result of the work; rejects with `expired` when the time is up first. A result that is there costs
 * nothing.
 */
export function inTime<T>(work: Eventual<T>, seconds: number, expired: () => Error): Eventual<T> {
  return work instanceof Promise ? bounded(work, { seconds, expired }) : work;
}

/** Milliseconds. */
const TIME = 5000;

/** The signal of a request that may take five seconds. */
export interface Deadline extends Disposable {
  /** Aborted when the client disconnects, and after the time. */
  readonly signal: AbortSignal;
  /** Throws 504 if the time is over, else the error. */
  rethrow(error: unknown): never;
}

/** Begins the time; `message` is that of the 504. Disposing ends its timer. */
export function startDeadline(signal: AbortSignal, message: string, milliseconds: number = TIME): Deadline {
  const overdue = new AbortController();
  const refusal = new ServiceError("timeout", message);
  const timer = setTimeout(() => overdue.abort(refusal), milliseconds);
  return {
    signal: AbortSignal.any([signal, overdue.signal]),
    rethrow: (error) => {
      throw overdue.signal.aborted ? refusal : error;
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
