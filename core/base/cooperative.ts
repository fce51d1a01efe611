/**
 * Long work in steps, so that one request never holds up the others.
 *
 * @module
 */

import { setTimeout } from "node:timers/promises";
import type { Eventual } from "./eventual.ts";

/** Milliseconds of work after which other requests get their turn. */
const TURN = 8;

/** Runs steps to their end: without a pause if they take at most one turn, else with pauses between turns. */
export function inTurns<T>(steps: Generator<unknown, T, void>): Eventual<T> {
  const end = performance.now() + TURN;
  for (let step = steps.next();; step = steps.next()) {
    if (step.done) return step.value;
    if (performance.now() > end) return pause().then(() => inTurns(steps));
  }
}

/**
 * Lets other requests run. Only a timer does so: while anything is due immediately, as with `setImmediate`, Deno rarely
 * polls the network (measured: other requests waited for half a second).
 */
export async function pause(): Promise<void> {
  await setTimeout(0);
}
