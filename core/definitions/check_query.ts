/**
 * Tests the SQL of a query without running it: for authors who send it to `/settings/check-query`, and before a query is
 * stored.
 *
 * @module
 */

import { type Members, readQuery } from "@/config/mod.ts";
import { shownMembers } from "./documents.ts";
import { planCheck } from "./plan_definitions.ts";
import { readOrRefuse, refuseMembers, type SentMembers } from "./read_body.ts";
import { mayNot, notToBeGranted, refuseQuery } from "./refusals.ts";
import { badRequest, quote, ServiceError } from "@/core/errors.ts";
import { explainFailure } from "@/core/database/explain_failure.ts";
import { mappingOf } from "@/core/database/find_database.ts";
import { recordDocument } from "@/core/documents/documents.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { Document, Json, QueryDefinition, User } from "@/core/model.ts";
import type { PlanInput, SimplePlan } from "@/core/plan.ts";
import { isAuthor } from "@/core/queries/find_query.ts";
import { describeQuery, type SavedQuery } from "@/core/queries/saved_query.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { Service } from "@/core/service.ts";
import type { Database } from "@/plugins/contract.ts";

/** A new query, or with `query_id` a change of an existing one. Throws 403 for users without rights on queries. */
export function planCheckQuery(request: ApiRequest, { user }: Caller, input: PlanInput): SimplePlan {
  if (!isAuthor(user, input.service)) throw mayNot(user, "try queries of", "querydef");
  return planCheck("querydef", request, input);
}

/** Tests the query that was sent. Throws 403 for a query that the user could not store. */
export async function checkQuery(
  { id, members }: SentMembers,
  user: User,
  service: Service,
): Promise<Document> {
  const existing = typeof id === "string" ? service.queries.get(id) : undefined;
  const may = mayDo(user, existing ? "edit" : "create", { kind: "querydef", definition: existing });
  if (!may) throw mayNot(user, "try queries of", "querydef");
  const definition = defineQuery(members, existing, user);
  const refusals = refuseQuery(user, { before: existing, after: definition });
  if (refusals.length > 0) throw notToBeGranted(user, refusals);
  const trial = await tryQuery(definition, user, service);
  if (trial) return recordDocument("query", describe(trial, definition));
  throw badRequest(`Cannot try the query: you have no login for a database ${quote(definition.database)}`);
}

function describe(trial: Trial, definition: QueryDefinition): Record<string, Json> {
  if ("reason" in trial) {
    return { valid: false, error: trial.reason, parameters: {}, columns: [], read_only: null };
  }
  const { text, columns, isReadOnly } = trial.query;
  const types = text.parameters.map((name) => [name, definition.parameters.get(name) ?? "text"]);
  return {
    valid: true,
    error: null,
    parameters: Object.fromEntries(types),
    columns: columns?.map(({ name, type, declaredType }) => ({ name, type, declared_type: declaredType })) ??
      null,
    read_only: isReadOnly ?? null,
  };
}

/** The prepared query, or the reason why the database refuses it. */
type Trial = { readonly query: SavedQuery } | { readonly reason: string };

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

/**
 * Tests a query under the author's own database login, so that messages only contain names that this login can see.
 * Undefined: the author has no login for the database. Throws 503 while the database is unavailable.
 */
async function tryQuery(
  definition: QueryDefinition,
  author: User,
  service: Pick<Service, "databases">,
): Promise<Trial | undefined> {
  const managed = service.databases.get(definition.database);
  const mapping = managed && mappingOf(author, managed);
  if (!managed || !mapping) return undefined;
  const { connection } = managed;
  const { database, schema } = connection.views.find(mapping);
  try {
    return { query: await describeQuery(definition, database) };
  } catch (error) {
    const reason = reasonOf(error, database);
    if (reason !== undefined) return { reason };
    throw explainFailure(error, { kind: "read", managed, connection, database, visible: schema });
  }
}

/** Why the database refuses the statement; undefined for a failure with another cause. */
function reasonOf(error: unknown, database: Database): string | undefined {
  if (error instanceof ServiceError) return error.code === "bad-request" ? error.message : undefined;
  const failure = database.classify(error);
  const isRefusal = failure === "invalid" || failure === "permission" || failure === "changed";
  return isRefusal ? database.explain(error) : undefined;
}

/**
 * Throws 400 for a query to be saved if its database refuses it or does not exist. If the database is unavailable,
 * mistakes are found when the query runs.
 */
export async function requireUsable(
  members: Members,
  existing: QueryDefinition | undefined,
  { author, service }: { readonly author: User; readonly service: Pick<Service, "databases"> },
): Promise<void> {
  if (existing && !DECISIVE.some((name) => name in members)) return;
  const definition = defineQuery(members, existing, author);
  // The change is refused later, with its reason; until then this author must not see messages of the database.
  if (refuseQuery(author, { before: existing, after: definition }).length > 0) return;
  if (!service.databases.has(definition.database)) {
    throw refuseMembers([`"database": there is no database ${quote(definition.database)}`]);
  }
  const trial = await tryQuery(definition, author, service).catch((error: unknown) => {
    if (error instanceof ServiceError) return undefined;
    throw error;
  });
  if (trial && "reason" in trial) {
    throw refuseMembers([`"sqlstr": the database refuses it: ${trial.reason}`]);
  }
}
