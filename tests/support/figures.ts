/**
 * Figures of tests, for the documents that have them.
 *
 * @module
 */

/** Writes what a test has measured into the output of the tests, as the name of a step. */
export async function tell(test: Deno.TestContext, figures: string): Promise<void> {
  await test.step(figures, () => {});
}
