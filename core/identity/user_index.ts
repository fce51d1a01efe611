/**
 * Finds users by what an identity provider says of them. Pure.
 *
 * @module
 */

import type { User } from "@/core/model.ts";
import { PUBLIC } from "./permissions.ts";
import type { MatchAttribute } from "@/plugins/contract.ts";

type Users = ReadonlyMap<string, User>;
type Index = ReadonlyMap<string, readonly User[]>;

const NOBODY: readonly User[] = [];

/** Indexes belong to a snapshot of users and go with it. */
const indexes = new WeakMap<Users, Map<string, Index>>();

/** The users with exactly this value, or with its letters in any case; none for an empty one, and never `public`. */
export function findUsersBy(
  attribute: MatchAttribute,
  value: string,
  { users, ignoreCase = false }: { readonly users: Users; readonly ignoreCase?: boolean },
): readonly User[] {
  if (value === "") return NOBODY;
  const known = indexes.get(users) ?? new Map<string, Index>();
  indexes.set(users, known);
  const name = `${attribute} ${ignoreCase}`;
  const fold = ignoreCase ? lowerCase : (text: string) => text;
  const index = known.get(name) ?? indexOf(attribute, users, fold);
  known.set(name, index);
  return index.get(fold(value)) ?? NOBODY;
}

/** Letters beyond A to Z stay: some of them have an ASCII letter as their lower case, and could be taken for it. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function indexOf(attribute: MatchAttribute, users: Users, fold: (text: string) => string): Index {
  const people = [...users.values()].filter(({ login }) => login !== PUBLIC);
  return Map.groupBy(people, (user) => fold(user[attribute] ?? ""));
}
