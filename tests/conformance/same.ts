/**
 * Comparisons whose failure ends at once: `assert.deepEqual` draws the difference
 * of two large values for minutes.
 *
 * @module
 */

import assert from "node:assert/strict";
import { inspect, isDeepStrictEqual } from "node:util";

/** Whether two values are equal in every part. */
export function isSame(actual: unknown, expected: unknown): boolean {
  return isDeepStrictEqual(actual, expected);
}

/** Throws unless two values are equal in every part; the message tells the first part that differs. */
export function assertSame(actual: unknown, expected: unknown, message = "The values differ"): void {
  if (isDeepStrictEqual(actual, expected)) return;
  const place = firstDifference(actual, expected);
  throw new assert.AssertionError({
    message: `${message}${place.path}: found ${show(place.actual)}, expected ${show(place.expected)}`,
  });
}

interface Difference {
  readonly path: string;
  readonly actual: unknown;
  readonly expected: unknown;
}

function firstDifference(actual: unknown, expected: unknown, path = ""): Difference {
  const here = { path: path === "" ? "" : ` at ${path}`, actual, expected };
  if (!Array.isArray(actual) || !Array.isArray(expected)) return here;
  const at = expected.findIndex((each, index) => !isDeepStrictEqual(actual[index], each));
  if (at === -1) {
    return { ...here, path: `${here.path} in length`, actual: actual.length, expected: expected.length };
  }
  return firstDifference(actual[at], expected[at], `${path}[${at}]`);
}

function show(value: unknown): string {
  return inspect(value, { depth: 2, maxArrayLength: 5, maxStringLength: 100, breakLength: Infinity });
}
