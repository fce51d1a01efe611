/**
 * Users for tests.
 *
 * @module
 */

import type { User } from "@/core/model.ts";

/** A user without any rights, unless told otherwise. */
export function userOf(login: string, changes: Partial<User> = {}): User {
  return {
    login,
    enabled: true,
    name: "",
    email: "",
    databases: new Map(),
    dbdef: [],
    querydef: [],
    userdef: [],
    view: [],
    edit: [],
    ...changes,
  };
}
