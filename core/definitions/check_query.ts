/**
 * Tests the SQL of a query, and may run it for a trial: for authors who send it to
 * `/settings/check-query`, and before a query is stored.
 *
 * @module
 */

import { type Members, readQuery } from "@/config/mod.ts";
import { defined } from "@/core/base/defined.ts";
import { explainFailure, type ReachedDatabase } from "@/core/database/explain_failure.ts";
import { mappingOf } from "@/core/database/find_database.ts";
import { recordDocument } from "@/core/documents/documents.ts";
import { badRequest, quote, ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import type { Document, Json, QueryDefinition, User } from "@/core/model.ts";
import { describeQuery, placeInQuery, type SavedQuery } from "@/core/queries/saved_query.ts";
import { reasonOf, refusedChange, runTrial } from "@/core/queries/try_query.ts";
import type { Schema } from "@/core/schema/table.ts";
import type { Service } from "@/core/service.ts";
import { shownMembers } from "./documents.ts";
import { requireTypesInUse } from "./parameter_types.ts";
import { readOrRefuse, refuseMember, type SentMembers } from "./read_body.ts";
import { notPermitted, notToBeGranted, refuseQuery } from "./refusals.ts";

/**
 * Tests the query that was sent, and runs it if there are arguments. Throws 403 for a
 * query that the user could not store.
 */
export async function checkQuery(
  { id, members, arguments: given }: SentMembers,
  user: User,
  exchange: Exchange,
): Promise<Document> {
  const { service } = exchange;
  const existing = typeof id === "string" ? service.queries.get(id) : undefined;
  const may = mayDo(user, existing ? "edit" : "create", { kind: "querydef", definition: existing });
  if (!may) throw notPermitted(user, "try queries of", "querydef");
  const definition = defineQuery(members, existing, user);
  const refusals = refuseQuery(user, { before: existing, after: definition }, service);
  if (refusals.length > 0) throw notToBeGranted(user, refusals);
  const reached = reachDatabase(definition, user, service);
  if (!reached) {
    throw badRequest(`Cannot try the query: you have no login for a database ${quote(definition.database)}`);
  }
  requireTypesInUse(definition, reached.managed);
  const trial = await tryQuery(definition, reached);
  const result = given === undefined || "reason" in trial
    ? {}
    : await runTrial(trial.query, given, reached, exchange);
  return recordDocument("query", { ...describe(trial, definition), ...result });
}

function describe(trial: Trial, definition: QueryDefinition): Record<string, Json> {
  if ("reason" in trial) {
    const { reason, position = null } = trial;
    const unknown = { parameters: {}, columns: [], read_only: null, warning: null };
    return { valid: false, error: reason, position, ...unknown };
  }
  const { text, columns, isReadOnly } = trial.query;
  const types = text.parameters.map((name) => [name, definition.parameters.get(name) ?? "text"]);
  return {
    valid: true,
    error: null,
    position: null,
    parameters: Object.fromEntries(types),
    columns: columns?.map(({ name, type, declaredType }) => ({ name, type, declared_type: declaredType })) ??
      null,
    read_only: isReadOnly ?? null,
    warning: refusedChange(definition, isReadOnly) ?? null,
  };
}

/**
 * The prepared query, or the reason why the database refuses it, and where in the author's text the mistake
 * is, in UTF-16 code units, if that is known.
 */
type Trial = { readonly query: SavedQuery } | { readonly reason: string; readonly position?: number };

/** Members that decide whether a database accepts a query. */
const DECISIVE = ["database", "sqlstr", "parameters"];

/** The definition from given members and an existing query, or of a new one. Throws 400. */
function defineQuery(
  members: Members,
  existing: QueryDefinition | undefined,
  { login }: User,
): QueryDefinition {
  const shown = existing ? shownMembers({ kind: "querydef", definition: existing }) : { creator: login };
  return readOrRefuse(readQuery, existing?.id ?? "check", { ...shown, ...members });
}

/** The database of a query under its author's own login; undefined if the author has none. */
function reachDatabase(
  definition: QueryDefinition,
  author: User,
  service: Pick<Service, "databases">,
): ReachedView | undefined {
  const managed = service.databases.get(definition.database);
  const mapping = managed && mappingOf(author, managed);
  if (!managed || !mapping) return undefined;
  const { connection } = managed;
  const { database, schema } = connection.views.find(mapping);
  return { managed, connection, database, visible: schema };
}

/** With the tables that messages may name. */
type ReachedView = ReachedDatabase & { readonly visible: Schema };

/**
 * Tests a query, so that messages only contain names that its author can see.
 * Throws 503 without the database.
 */
async function tryQuery(definition: QueryDefinition, reached: ReachedView): Promise<Trial> {
  const { database } = reached;
  try {
    return { query: await describeQuery(definition, database) };
  } catch (error) {
    const position = placeInQuery(error, definition, database);
    const reason = reasonOf(error, position, definition, database);
    if (reason === undefined) throw explainFailure(error, { kind: "read", ...reached });
    return { reason, ...defined({ position }) };
  }
}

/**
 * Throws 400 for a query to be saved if its database refuses it or does not exist, if none of its methods may
 * run it, and for types of parameters that it does not have. If the database is unavailable, mistakes are
 * found when the query runs.
 */
export async function requireUsable(
  members: Members,
  existing: QueryDefinition | undefined,
  { author, service }: { readonly author: User; readonly service: Pick<Service, "databases"> },
): Promise<void> {
  if (existing && !DECISIVE.some((name) => name in members)) return;
  const definition = defineQuery(members, existing, author);
  // The change is refused later, with its reason; until then this author must
  // not see messages of the database.
  if (refuseQuery(author, { before: existing, after: definition }, service).length > 0) return;
  const managed = service.databases.get(definition.database);
  if (!managed) throw refuseMember("database", `there is no database ${quote(definition.database)}`);
  requireTypesInUse(definition, managed);
  const reach = () => reachDatabase(definition, author, service);
  const trial = await Promise.try(reach).then((reached) => reached && tryQuery(definition, reached))
    .catch((error: unknown) => {
      if (error instanceof ServiceError) return undefined;
      throw error;
    });
  if (!trial) return;
  if ("reason" in trial) throw refuseMember("sqlstr", `the database refuses it: ${trial.reason}`);
  // One without a method is switched off.
  const refused = definition.methods.length > 0 && refusedChange(definition, trial.query.isReadOnly);
  if (refused) throw refuseMember("http_methods", refused);
}
