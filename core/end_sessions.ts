/**
 * Ends the sessions of users whose credentials are no longer what they were.
 *
 * @module
 */

import type { User } from "./model.ts";
import { passwordSalt } from "./passwords.ts";
import type { Sessions } from "./sessions/sessions.ts";
import type { Log } from "@/plugins/contract.ts";

type Users = ReadonlyMap<string, User>;

/**
 * Ends them where they are kept, so that every process knows at once. A session that is kept nowhere, because its cookie
 * holds it, ends when it is used: its fingerprint does not fit any more.
 */
export async function endSessions(
  before: Users,
  after: Users,
  { sessions, log }: { readonly sessions: Sessions; readonly log: Log },
): Promise<void> {
  await Promise.all(
    changedLogins(before, after).map(async (login) => {
      try {
        await sessions.revoke(login);
      } catch (error) {
        // They do not fit any more, so they end when they are used.
        log.error(`The sessions of ${login} cannot be removed`, error);
      }
    }),
  );
}

/** Users who are gone, or not enabled any more, or have another password. One that was only hashed, or hashed at another cost, is the same. */
export function changedLogins(before: Users, after: Users): readonly string[] {
  return [...before.values()].filter(({ login, password }) => {
    const user = after.get(login);
    return !user || saltOf(user.password) !== saltOf(password);
  }).map(({ login }) => login);
}

function saltOf(password: string | undefined): string | undefined {
  return password === undefined ? undefined : passwordSalt(password);
}
