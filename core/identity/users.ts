/**
 * The users of a snapshot: enabled ones, searches by the attributes that identity providers send, and the
 * sessions of users whose credentials have changed.
 *
 * @module
 */

import type { User } from "@/core/model.ts";
import type { Log, MatchAttribute } from "@/plugins/contract.ts";
import { isPasswordHash, passwordSalt, verifyPassword } from "./passwords.ts";
import { PUBLIC } from "./permissions.ts";
import type { Sessions } from "./sessions/sessions.ts";

type Users = ReadonlyMap<string, User>;
type Index = ReadonlyMap<string, readonly User[]>;

/** Indexes belong to one snapshot of users and are collected with it. */
const indexes = new WeakMap<Users, Map<string, Index>>();

/** Maps of users are immutable, so the enabled ones are filtered once per map instead of in each request. */
const enabledOf = new WeakMap<Users, Users>();

/** The enabled users. */
export function enabledUsers(users: Users): Users {
  return enabledOf.getOrInsertComputed(users, () => new Map([...users].filter(([, user]) => user.enabled)));
}

/** Sets {@link User.former} of each user whose plain password was replaced by its hash. */
export async function withFormer(users: Users, before: Users): Promise<Users> {
  const passwords = new Map<string, string>();
  for (const [login, user] of users) {
    const known = before.get(login);
    const plain = (known?.former ?? known)?.password;
    if (plain === undefined || isPasswordHash(plain)) continue;
    const isKnown = known?.former !== undefined && known.password === user.password;
    if (isKnown || await verifyPassword(user.password ?? "", plain)) passwords.set(login, plain);
  }
  if (passwords.size === 0) return users;
  return new Map([...users].map(([login, user]) => {
    const password = passwords.get(login);
    return [login, password === undefined ? user : { ...user, former: { ...user, password } }];
  }));
}

/** A change of an account that has an entry of its own in the audit log. */
export type AccountAction = "enable" | "disable" | "password" | "key";

/** What a change has done; empty for a user who is new or gone. */
export function accountActions(before: User | undefined, after: User | undefined): readonly AccountAction[] {
  if (!before || !after) return [];
  const actions: readonly (readonly [AccountAction, boolean])[] = [
    ["enable", after.enabled && !before.enabled],
    ["disable", before.enabled && !after.enabled],
    ["password", saltOf(before) !== saltOf(after)],
    ["key", before.apikeyHash !== after.apikeyHash],
  ];
  return actions.flatMap(([action, isDone]) => isDone ? [action] : []);
}

/** Equal for a password that was only hashed, or hashed at another cost. */
function saltOf({ password }: User): string | undefined {
  return password === undefined ? undefined : passwordSalt(password);
}

/**
 * Removes the sessions from the store, so that all processes know at once. A session inside a cookie ends on
 * its next use, because its fingerprint no longer matches or its user is gone.
 */
export async function endSessions(
  logins: readonly string[],
  { sessions, log }: { readonly sessions: Sessions; readonly log: Log },
): Promise<void> {
  await Promise.all(logins.map(async (login) => {
    // Their fingerprints no longer match, so they end on their next use.
    const onFailure = (error: unknown) => log.error(`The sessions of ${login} cannot be removed`, error);
    await sessions.revoke(login).catch(onFailure);
  }));
}

/** Logins of users that were removed or disabled. */
export function departedLogins(before: Users, after: Users): readonly string[] {
  return [...before.keys()].filter((login) => !after.has(login));
}

/**
 * The users with exactly this value, or ignoring the case of its letters; none for an
 * empty value, and never `public`.
 */
export function findUsersBy(
  attribute: MatchAttribute,
  value: string,
  { users, ignoreCase = false }: { readonly users: Users; readonly ignoreCase?: boolean },
): readonly User[] {
  if (value === "") return [];
  const known = indexes.getOrInsertComputed(users, () => new Map());
  const fold = ignoreCase ? lowerCase : (text: string) => text;
  const name = `${attribute} ${ignoreCase}`;
  const index = known.getOrInsertComputed(name, () => indexOf(attribute, users, fold));
  return index.get(fold(value)) ?? [];
}

/** Other letters stay: some have an ASCII letter as their lower case and would match it. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function indexOf(attribute: MatchAttribute, users: Users, fold: (text: string) => string): Index {
  const people = [...users.values()].filter(({ login }) => login !== PUBLIC);
  return Map.groupBy(people, (user) => fold(user[attribute] ?? ""));
}
