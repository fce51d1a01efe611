/**
 * The limits of summaries.
 *
 * @module
 */

/** Largest number of groups. */
export const MOST_GROUPS = 1000;
/** Largest number of points: with their numbers as a table they fit on a page of 40 KB, compressed. */
export const MOST_POINTS = 900;
/** Number of the most frequent values that a column's summary has. */
export const MOST_FREQUENT = 20;
/** The answer to a request whose summary takes too long. */
export const TOO_LONG = "The summary takes too long: narrow the list with filters";
