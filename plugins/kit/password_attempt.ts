/**
 * Checks of passwords whose failures the throttle counts.
 *
 * @module
 */

import type { Attempt } from "@/plugins/contract.ts";

/**
 * The user whom a check has found. Gives the attempt back unless the password is wrong: one that could not be
 * checked is no failed attempt either.
 */
export async function settleAttempt<User>(
  attempt: Attempt,
  check: Promise<User | undefined>,
): Promise<User | undefined> {
  const user = await check.catch(async (error: unknown) => {
    await attempt.succeeded();
    throw error;
  });
  if (user) await attempt.succeeded();
  return user;
}
