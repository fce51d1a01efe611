/**
 * The users who can act. Pure.
 *
 * @module
 */

import type { User } from "./model.ts";

type Users = ReadonlyMap<string, User>;

/** Users never change, a new map takes the place of the old one; so each request need not look at all of them. */
const known = new WeakMap<Users, Users>();

/** The users without those that are not enabled. */
export function enabledUsers(users: Users): Users {
  const found = known.get(users);
  if (found) return found;
  const enabled = new Map([...users].filter(([, user]) => user.enabled));
  known.set(users, enabled);
  return enabled;
}

/** What can be done to an account beside changing it. */
export type AccountSwitch = "enable" | "disable";

/** Which of them a change was; undefined for none. */
export function switchOf(before: User | undefined, after: User | undefined): AccountSwitch | undefined {
  if (!before || !after || before.enabled === after.enabled) return undefined;
  return after.enabled ? "enable" : "disable";
}
