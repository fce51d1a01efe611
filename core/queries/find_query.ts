/**
 * Finds the saved query that a request names, and lists those that its caller may run.
 *
 * @module
 */

import { unknownName } from "@/core/base/nearest.ts";
import type { Connection, View } from "@/core/database/connect.ts";
import { mappingOf } from "@/core/database/find_database.ts";
import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import { linkSchema, TEXT } from "@/core/documents/document_schemas.ts";
import { describe, type Described, keyColumn, textColumn } from "@/core/documents/documents.ts";
import { forbidden, quote, ServiceError } from "@/core/errors.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import { type Caller, PUBLIC } from "@/core/identity/permissions.ts";
import type { Json, JsonObject, QueryDefinition, User } from "@/core/model.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import { readName } from "@/core/request/path_grammar.ts";
import { printName } from "@/core/request/print_path.ts";
import type { Service } from "@/core/service.ts";
import { parameterNames } from "./saved_query.ts";

/** A query with its database as one caller reaches it. */
export interface ReachedQuery {
  readonly definition: QueryDefinition;
  readonly managed: ManagedDatabase;
  readonly connection: Connection;
  /** The database under the caller's database login, and the tables that errors may name. */
  readonly view: View;
}

/** Throws 404 for an unknown query and 403 for one that the caller may not run. */
export function reachQuery(raw: string, request: ApiRequest, caller: Caller, service: Service): ReachedQuery {
  const name = readName(raw, request.grammar);
  const definition = service.queries.get(name.literal) ?? service.queries.get(name.substituted);
  if (!definition) throw unknownQuery(name.literal, caller, service);
  if (!mayExecute(caller, definition)) {
    throw forbidden(`User ${quote(caller.user.login)} may not run query ${quote(definition.id)}`);
  }
  const managed = service.databases.get(definition.database);
  const mapping = managed && mappingOf(caller.user, managed);
  if (!managed || !mapping) {
    throw forbidden(
      `User ${quote(caller.user.login)} has no login for the database of query ${quote(definition.id)}`,
    );
  }
  const { connection } = managed;
  return { definition, managed, connection, view: connection.views.find(mapping) };
}

/**
 * Whether a user may run a query; a query that `public` may run is open to every
 * user with a mapping to the database.
 */
function mayExecute(caller: Pick<Caller, "user">, definition: QueryDefinition): boolean {
  return definition.execute.includes(PUBLIC) ||
    mayDo(caller.user, "execute", { kind: "querydef", definition });
}

/** The queries that a caller can run, with their databases. */
export function executableQueries(
  caller: Pick<Caller, "user">,
  service: Service,
): readonly QueryDefinition[] {
  return [...service.queries.values()].filter((definition) => isExecutable(definition, caller, service));
}

/** Whether a caller may run any query. */
export function mayRunQueries(caller: Caller, service: Service): boolean {
  return known.getOrInsertComputed(service, () => new WeakMap()).getOrInsertComputed(caller.user, () => {
    return service.queries.values().some((definition) => isExecutable(definition, caller, service));
  });
}

/** The answers of each snapshot, by user: every page asks, and without any such query all are looked at. */
const known = new WeakMap<Service, WeakMap<User, boolean>>();

/** Whether a caller can run a query. */
export function isExecutable(
  definition: QueryDefinition,
  caller: Pick<Caller, "user">,
  { databases }: Pick<Service, "databases">,
): boolean {
  const managed = databases.get(definition.database);
  return managed !== undefined && mappingOf(caller.user, managed) !== undefined &&
    mayExecute(caller, definition);
}

/** Methods of a query for `Allow`. HEAD must not change anything, so a query that may has none. */
export function methodsOf({ methods, readOnly }: QueryDefinition): readonly string[] {
  const reading = readOnly === false ? ["GET"] : ["GET", "HEAD"];
  return [...methods.flatMap((method) => method === "GET" ? reading : [method]), "OPTIONS"];
}

/** Whether a user may create queries, or change an existing one. */
export function isAuthor(user: User, { queries }: Service): boolean {
  return mayDo(user, "create", { kind: "querydef" }) ||
    [...queries.values()].some((definition) => mayDo(user, "edit", { kind: "querydef", definition }));
}

function unknownQuery(name: string, caller: Caller, service: Service): ServiceError {
  const ids = executableQueries(caller, service).map(({ id }) => id);
  return unknownName(`Cannot find query ${quote(name)}`, name, ids);
}

const COLUMNS = ["query_id", "desc", "database", "parameters", "http_methods"] as const;

/**
 * `/query`: the saved queries that a caller may run, by id, each with the types of its parameters and a link.
 */
export function queriesDocument(caller: Caller, service: Service): Described {
  const queries = executableQueries(caller, service);
  const columns = COLUMNS.map((name) => name === "query_id" ? keyColumn(name) : textColumn(name));
  return describe({ name: "query", schema: queriesSchema(service.settings.refid_prefix), columns }, {
    tree: Object.fromEntries<Json>(queries.map((query) => [query.id, describeEntry(query, service)])),
    rows: queries.map((query) => {
      const { id, description, database, methods } = query;
      return [id, description, database, parameterNames(query, service.databases).join(), methods.join()];
    }),
  });
}

/** The schema of `/query`. */
export function queriesSchema(refid: string): JsonObject {
  const { properties } = linkSchema(refid);
  const query = {
    type: "object",
    required: ["desc", "database", "parameters", "http_methods"],
    properties: {
      desc: TEXT,
      database: TEXT,
      parameters: {
        type: "object",
        description: "The types of its parameters by their names.",
        additionalProperties: TEXT,
      },
      http_methods: { type: "object", additionalProperties: { type: "boolean" } },
      ...properties as JsonObject,
    },
  };
  return { title: "query", type: "object", additionalProperties: query };
}

function describeEntry(query: QueryDefinition, service: Service): Json {
  const { id, description, database, methods } = query;
  const parameters = parameterNames(query, service.databases).map((name) =>
    [name, query.parameters.get(name) ?? "text"] as const
  );
  return {
    desc: description,
    database,
    parameters: Object.fromEntries(parameters),
    http_methods: Object.fromEntries(methods.map((method) => [method, true])),
    [service.settings.refid_prefix]: `${service.prefix}/query/${printName(id, service.links)}.json`,
  };
}
