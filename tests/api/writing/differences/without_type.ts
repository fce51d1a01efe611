/**
 * Only SQLite has columns without a type; elsewhere they are text.
 *
 * @module
 */

import type { Difference } from "@/tests/support/databases/differences.ts";

/** Differences of every engine except SQLite. */
export const WITHOUT_TYPE: readonly Difference[] = [
  {
    reason: "Only SQLite has columns without a type: a number in one is text elsewhere",
    cases: ["conditions/*", "put/json"],
    replace: [['"Anything": 5,', '"Anything": "5",'], [", 5, 'old'", ", '5', 'old'"]],
  },
  {
    reason: "Only SQLite has columns without a type: text columns take no JSON numbers",
    cases: ["post/number-without-type"],
    own: true,
  },
];
