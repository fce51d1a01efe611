/**
 * Long work in steps, so that one request never holds up the others.
 *
 * @module
 */

import type { Eventual } from "./eventual.ts";
import { FairTurns } from "./fair_turns.ts";

/** Milliseconds of work after which other requests get their turn. */
export const TURN = 8;

/**
 * The turns of costly work in this worker, which has one event loop. Two at a time, so that a
 * large answer does not hold up a page.
 */
export const COSTLY: FairTurns = new FairTurns(2);

/**
 * Runs steps to their end: without a pause if they take at most one turn, else with pauses between turns, and
 * in the turn of the caller if one is given.
 */
export function inTurns<T>(steps: Generator<unknown, T, void>, caller?: string): Eventual<T> {
  const end = performance.now() + TURN;
  for (let step = steps.next();; step = steps.next()) {
    if (step.done) return step.value;
    if (performance.now() <= end) continue;
    return caller === undefined
      ? pause().then(() => inTurns(steps))
      : COSTLY.run(caller, () => pause().then(() => inTurns(steps)));
  }
}

/** Lets other requests run. */
export function pause(): Promise<void> {
  return COSTLY.pause();
}
