/**
 * The limits of summaries.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";

/** Largest number of groups. */
export const MOST_GROUPS = 1000;
/** Largest number of points. */
export const MOST_POINTS = 1000;
/** Number of the most frequent values that a column's summary has. */
export const MOST_FREQUENT = 20;
/** Milliseconds. */
const TIME = 5000;

/** The signal of a request that may take five seconds for its summary. */
export interface Deadline extends Disposable {
  /** Aborted when the client disconnects, and after the time. */
  readonly signal: AbortSignal;
  /** Throws 504 if the time is over, else the error. */
  rethrow(error: unknown): never;
}

/** Begins the time of a summary. Disposing ends its timer. */
export function startDeadline(signal: AbortSignal, milliseconds: number = TIME): Deadline {
  const overdue = new AbortController();
  const refusal = new ServiceError(
    "timeout",
    `The summary takes longer than ${milliseconds / 1000} seconds: narrow the list with filters`,
  );
  const timer = setTimeout(() => overdue.abort(refusal), milliseconds);
  return {
    signal: AbortSignal.any([signal, overdue.signal]),
    rethrow: (error) => {
      throw overdue.signal.aborted ? refusal : error;
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
