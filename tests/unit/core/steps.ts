/**
 * Work in steps, for tests that need its end only.
 *
 * @module
 */

/** Runs steps to their end. */
export function endOf<T>(steps: Generator<unknown, T, void>): T {
  for (let step = steps.next();; step = steps.next()) if (step.done) return step.value;
}
