/**
 * The users who can act.
 *
 * @module
 */

import type { User } from "@/core/model.ts";
import { isPasswordHash, verifyPassword } from "./passwords.ts";

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

/**
 * The same users, each whose plain password has only been replaced by its hash with what it was before. Costs a
 * verification for each of them, once.
 */
export async function withFormer(users: Users, before: Users): Promise<Users> {
  const formers = new Map<string, User>();
  for (const [login, user] of users) {
    const known = before.get(login);
    const plain = known?.former ?? known;
    if (plain?.password === undefined || isPasswordHash(plain.password)) continue;
    const isKnown = known?.former !== undefined && known.password === user.password;
    if (isKnown || await verifyPassword(user.password ?? "", plain.password)) formers.set(login, plain);
  }
  if (formers.size === 0) return users;
  return new Map([...users].map(([login, user]) => {
    const former = formers.get(login);
    return [login, former ? { ...user, former } : user];
  }));
}

/** What can be done to an account beside changing it. */
export type AccountSwitch = "enable" | "disable";

/** Which of them a change was; undefined for none. */
export function switchOf(before: User | undefined, after: User | undefined): AccountSwitch | undefined {
  if (!before || !after || before.enabled === after.enabled) return undefined;
  return after.enabled ? "enable" : "disable";
}
