/**
 * `POST /settings/check-query`: tests the SQL of a query without running it, for authors.
 *
 * @module
 */

import { mayNot, notToBeGranted } from "./refusals.ts";
import { quote, ServiceError } from "@/core/errors.ts";
import { recordDocument } from "@/core/documents/documents.ts";
import { refuseQuery } from "./escalation.ts";
import type { Document, Json, QueryDefinition, User } from "@/core/model.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { PlanInput, SimplePlan } from "@/core/plan.ts";
import { planCheck } from "./plan_check.ts";
import type { SentMembers } from "./read_body.ts";
import { isAuthor } from "@/core/queries/find_query.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import type { Service } from "@/core/service.ts";
import { defineQuery, type Trial, tryQuery } from "./try_query.ts";

/** A new query, or with `query_id` a change of an existing one. Throws 403 for users without rights on queries. */
export function planCheckQuery(request: ApiRequest, { user }: Caller, input: PlanInput): SimplePlan {
  const { service } = input;
  if (!isAuthor(user, service)) throw mayNot(user, "try queries of", "querydef");
  return planCheck("querydef", request, input);
}

/** Tests the query that was sent. Throws 403 for a query that the user could not store. */
export async function checkQuery(
  { id, members }: SentMembers,
  user: User,
  service: Service,
): Promise<Document> {
  const existing = typeof id === "string" ? service.queries.get(id) : undefined;
  const may = mayDo(user, existing ? "edit" : "create", { kind: "querydef", ...present(existing) });
  if (!may) throw mayNot(user, "try queries of", "querydef");
  const definition = defineQuery(members, existing, user);
  const refusals = refuseQuery(user, { before: existing, after: definition });
  if (refusals.length > 0) throw notToBeGranted(user, refusals);
  return await check(definition, user, service);
}

function present(definition: QueryDefinition | undefined): { readonly definition?: QueryDefinition } {
  return definition ? { definition } : {};
}

/** The engine's answer to the statement: its columns and parameters, or its error. */
async function check(definition: QueryDefinition, user: User, service: Service): Promise<Document> {
  const trial = await tryQuery(definition, user, service);
  if (trial === undefined) {
    throw new ServiceError(
      "bad-request",
      `Cannot try the query: you have no login for a database ${quote(definition.database)}`,
    );
  }
  return recordDocument("query", describe(trial, definition));
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
