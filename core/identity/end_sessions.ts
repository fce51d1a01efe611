/**
 * Ends the sessions of users whose credentials have changed.
 *
 * @module
 */

import type { User } from "@/core/model.ts";
import { passwordSalt } from "./passwords.ts";
import type { Sessions } from "@/core/identity/sessions/sessions.ts";
import type { Log } from "@/plugins/contract.ts";

type Users = ReadonlyMap<string, User>;

/**
 * Removes the sessions from the store, so that all processes know at once. A session inside a cookie ends on its next
 * use, because its fingerprint no longer matches or its user is gone.
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
        // Their fingerprints no longer match, so they end on their next use.
        log.error(`The sessions of ${login} cannot be removed`, error);
      }
    }),
  );
}

/** Logins of users that were removed or disabled. */
export function departedLogins(before: Users, after: Users): readonly string[] {
  return [...before.keys()].filter((login) => !after.has(login));
}

/**
 * Whether a user has another password. A password that was only hashed, or hashed at another cost, is the same. Only
 * the process that changes a password removes the old sessions, at once: a process that learns of the change later
 * would also remove sessions opened with the new password, while the old ones no longer match anyway.
 */
export function hasOtherPassword(before: User | undefined, after: User | undefined): boolean {
  return before !== undefined && after !== undefined && saltOf(before.password) !== saltOf(after.password);
}

function saltOf(password: string | undefined): string | undefined {
  return password === undefined ? undefined : passwordSalt(password);
}
