/**
 * The text of an answer that has to be there.
 *
 * @module
 */

import assert from "node:assert/strict";

/** The text; the test fails if the status is not 200. */
export async function textOf(asked: Response | PromiseLike<Response>): Promise<string> {
  const answer = await asked;
  const text = await answer.text();
  assert.equal(answer.status, 200, `${answer.url}: ${text}`);
  return text;
}
