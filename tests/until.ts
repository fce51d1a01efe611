/**
 * Waiting for what others bring about.
 *
 * @module
 */

import assert from "node:assert/strict";

/** Milliseconds. A machine may be slow; what has not come about by then never does. */
const LIMIT = 120_000;
const PAUSE = 20;

/** Looks again and again until the condition holds. Fails after two minutes. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + LIMIT;
  while (!await holds()) {
    assert.ok(Date.now() < deadline, `It has not come about within two minutes: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}
