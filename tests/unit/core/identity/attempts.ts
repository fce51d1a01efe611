/**
 * Attempts to log in, for tests of the throttle.
 *
 * @module
 */

import assert from "node:assert/strict";
import { ServiceError } from "@/core/errors.ts";

/** The default settings. */
export const LIMITS = { burst: 5, interval: 60_000 };

/** Decides where buckets lie in a file. */
export const KEY = new Uint8Array(32).fill(7);

/** How an attempt ends: undefined, or the Retry-After of the refusal. */
export async function outcome(attempt: Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt;
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    assert.equal(error.status, 429);
    return error.headers["Retry-After"];
  }
}

/** How attempts end that come one after the other. */
export async function outcomes(
  count: number,
  attempt: (index: number) => Promise<unknown>,
): Promise<readonly (string | undefined)[]> {
  const all: (string | undefined)[] = [];
  for (let index = 0; index < count; index++) all.push(await outcome(attempt(index)));
  return all;
}

/** An attempt that was let through. */
export const NONE = undefined;
/** Five of them. */
export const FIVE = [NONE, NONE, NONE, NONE, NONE];
