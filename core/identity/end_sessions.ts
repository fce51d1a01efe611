/**
 * Ends the sessions of users whose credentials are no longer what they were.
 *
 * @module
 */

import type { User } from "@/core/model.ts";
import { passwordSalt } from "./passwords.ts";
import type { Sessions } from "@/core/identity/sessions/sessions.ts";
import type { Log } from "@/plugins/contract.ts";

type Users = ReadonlyMap<string, User>;

/**
 * Ends them where they are kept, so that every process knows at once. A session that is kept nowhere, because its cookie
 * holds it, ends when it is used: its fingerprint does not fit any more, or its user is gone.
 */
export async function endSessions(
  logins: readonly string[],
  { sessions, log }: { readonly sessions: Sessions; readonly log: Log },
): Promise<void> {
  await Promise.all(
    logins.map(async (login) => {
      try {
        await sessions.revoke(login);
      } catch (error) {
        // They do not fit any more, so they end when they are used.
        log.error(`The sessions of ${login} cannot be removed`, error);
      }
    }),
  );
}

/** Users who are gone, or not enabled any more. */
export function departedLogins(before: Users, after: Users): readonly string[] {
  return [...before.keys()].filter((login) => !after.has(login));
}

/**
 * Whether a user has another password. One that was only hashed, or hashed at another cost, is the same. Only who changes it
 * removes the sessions of before, and does so at once: a process that hears of it later would remove those of whoever has
 * logged in with the new one since, while those of before do not fit any more.
 */
export function hasOtherPassword(before: User | undefined, after: User | undefined): boolean {
  return before !== undefined && after !== undefined && saltOf(before.password) !== saltOf(after.password);
}

function saltOf(password: string | undefined): string | undefined {
  return password === undefined ? undefined : passwordSalt(password);
}
