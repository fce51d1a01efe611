/**
 * The time limit of work for pages, while a person waits.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";

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
