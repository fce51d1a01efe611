/**
 * Long work in steps, so that one request never holds up the others.
 *
 * @module
 */

import { setTimeout } from "node:timers/promises";
import type { Eventual } from "./eventual.ts";

/** Milliseconds of work after which other requests get their turn. */
const TURN = 8;

/** Runs steps to their end: at once if that does not take long, else with pauses between them. */
export function inTurns<T>(steps: Generator<unknown, T, void>): Eventual<T> {
  const end = performance.now() + TURN;
  for (let step = steps.next();; step = steps.next()) {
    if (step.done) return step.value;
    if (performance.now() > end) return pause().then(() => inTurns(steps));
  }
}

/**
 * Lets everybody else go on. Only a timer does: as long as anything is due at once, as `setImmediate` is, Deno looks for
 * what has come in from the network but rarely (measured: others waited for half a second).
 */
export async function pause(): Promise<void> {
  await setTimeout(0);
}
