/**
 * Who may run which saved query, and how.
 *
 * @module
 */

import { mappingOf } from "@/core/database/find_database.ts";
import type { QueryDefinition, User } from "@/core/model.ts";
import { type Caller, PUBLIC } from "@/core/identity/permissions.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import type { Service } from "@/core/service.ts";

/** Whether a user may run a query; what `public` may, everybody may who has the database. */
export function mayExecute(caller: Caller, definition: QueryDefinition): boolean {
  return definition.execute.includes(PUBLIC) ||
    mayDo(caller.user, "execute", { kind: "querydef", definition });
}

/** The queries that a caller can run, with their databases. */
export function executableQueries(caller: Caller, service: Service): readonly QueryDefinition[] {
  return [...service.queries.values()].filter((definition) => {
    const managed = service.databases.get(definition.database);
    return managed && mappingOf(caller.user, managed) && mayExecute(caller, definition);
  });
}

/** Methods of a query, as `Allow` lists them. HEAD never changes anything, so a query that may has none. */
export function methodsOf({ methods, readOnly }: QueryDefinition): readonly string[] {
  const reading = readOnly === false ? ["GET"] : ["GET", "HEAD"];
  return [...methods.flatMap((method) => method === "GET" ? reading : [method]), "OPTIONS"];
}

/** Whether a user may write queries, or change one that is there. */
export function isAuthor(user: User, { queries }: Service): boolean {
  return mayDo(user, "create", { kind: "querydef" }) ||
    [...queries.values()].some((definition) => mayDo(user, "edit", { kind: "querydef", definition }));
}
