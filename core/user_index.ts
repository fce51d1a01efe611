/**
 * Finds users by what an identity provider says of them. Pure.
 *
 * @module
 */

import type { User } from "./model.ts";
import { PUBLIC } from "./permissions.ts";
import type { MatchAttribute } from "@/plugins/contract.ts";

type Users = ReadonlyMap<string, User>;
type Index = ReadonlyMap<string, readonly User[]>;

const NOBODY: readonly User[] = [];

/** Indexes belong to a snapshot of users and go with it. */
const indexes = new WeakMap<Users, Map<MatchAttribute, Index>>();

/** The users with exactly this value; none for an empty one, and never `public`, who needs no login. */
export function findUsersBy(attribute: MatchAttribute, value: string, users: Users): readonly User[] {
  if (value === "") return NOBODY;
  const known = indexes.get(users) ?? new Map<MatchAttribute, Index>();
  indexes.set(users, known);
  const index = known.get(attribute) ?? indexOf(attribute, users);
  known.set(attribute, index);
  return index.get(value) ?? NOBODY;
}

function indexOf(attribute: MatchAttribute, users: Users): Index {
  const people = [...users.values()].filter(({ login }) => login !== PUBLIC);
  return Map.groupBy(people, (user) => user[attribute] ?? "");
}
