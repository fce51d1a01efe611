/**
 * Finds the database that a path names, if the caller has a mapping to it.
 *
 * @module
 */

import { unknownName } from "@/core/base/nearest.ts";
import { forbidden, quote } from "@/core/errors.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { DatabaseMapping, User } from "@/core/model.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import { readName } from "@/core/request/path_grammar.ts";
import type { ManagedDatabase } from "./managed_database.ts";

/** A database with one caller's mapping. */
export interface FoundDatabase {
  readonly mapping: DatabaseMapping;
  readonly managed: ManagedDatabase;
}

/** The mapping to a database; undefined if it has no database login although the engine has logins. */
export function mappingOf(user: User, managed: ManagedDatabase): DatabaseMapping | undefined {
  const mapping = user.databases.get(managed.definition.id);
  return mapping?.dbuser === "" && managed.hasLogins ? undefined : mapping;
}

/** Throws 403 without a mapping, and 404 with the nearest names that the caller may see. */
export function findDatabase(
  raw: string,
  { request, caller, service }: {
    request: ApiRequest;
    caller: Caller;
    service: { readonly databases: ReadonlyMap<string, ManagedDatabase> };
  },
): FoundDatabase {
  const name = readName(raw, request.grammar);
  const managed = service.databases.get(name.literal) ?? service.databases.get(name.substituted);
  const mapping = managed && mappingOf(caller.user, managed);
  if (managed && mapping) return { mapping, managed };
  if (managed) {
    throw forbidden(`User ${quote(caller.user.login)} has no login for database ${quote(name.literal)}`);
  }
  const visible = [...service.databases].filter(([, each]) => mappingOf(caller.user, each)).map(([id]) => id);
  throw unknownName(`Cannot find database ${quote(name.literal)}`, name.literal, visible);
}
