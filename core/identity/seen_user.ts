/**
 * The part of an account that authentication methods see: neither hashes of its password and key nor its
 * database logins.
 *
 * @module
 */

import type { User } from "@/core/model.ts";
import type { User as SeenUser } from "@/plugins/contract.ts";

/** Accounts are immutable: one object for each lets methods notice a change. */
const seen = new WeakMap<User, SeenUser>();
const accounts = new WeakMap<SeenUser, User>();

/** The account as methods see it. */
export function seenUser(user: User): SeenUser {
  return seen.getOrInsertComputed(user, ({ login, name, email, appid }) => {
    const shown = Object.freeze({ login, name, email, ...(appid === undefined ? {} : { appid }) });
    accounts.set(shown, user);
    return shown;
  });
}

/** The account as it was when a method saw it; undefined for an object that a method has made. */
export function accountOf(shown: SeenUser): User | undefined {
  return accounts.get(shown);
}

/** Like {@link seenUser}, for a user who may be absent. */
export function seenIfThere(user: User | undefined): SeenUser | undefined {
  return user && seenUser(user);
}
