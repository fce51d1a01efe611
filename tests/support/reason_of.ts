/**
 * The failures of work that has to fail.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Database } from "@/plugins/contract.ts";

/** The reason for which work is rejected. Fails if the work succeeds. */
export function reasonOf(work: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(work).then(() => assert.fail("It did not fail"), (reason) => reason);
}

/** What the reason means to the database. Fails if the work succeeds. */
export async function failureOf(
  { database }: { readonly database: Pick<Database, "classify"> },
  work: PromiseLike<unknown>,
): Promise<unknown> {
  return database.classify(await reasonOf(work));
}
