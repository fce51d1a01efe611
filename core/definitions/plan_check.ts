/**
 * Plans `POST` of a definition that is tested without being stored: `/settings/check-database-connection`
 * and `/settings/check-query`.
 *
 * @module
 */

import { mayDo } from "@/core/identity/definition_rights.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { PlanInput, SimplePlan } from "@/core/plan.ts";
import { isAuthor } from "@/core/queries/find_query.ts";
import { chooseBodyFormat } from "@/core/request/body_format.ts";
import { requireData } from "@/core/request/formats.ts";
import { requireUseful } from "@/core/request/parameters.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { BodyFormat } from "@/core/request/read_records.ts";
import { refuseMethod } from "@/core/tables/allowed_methods.ts";
import { notPermitted } from "./refusals.ts";

/** A new definition, or with `db_id` a change of an existing one. Throws 403 for users without any right. */
export function planCheckConnection(request: ApiRequest, { user }: Caller, input: PlanInput): SimplePlan {
  const mayEdit = input.service.databases.values().some(({ definition }) =>
    mayDo(user, "edit", { kind: "dbdef", definition })
  );
  if (!mayEdit && !mayDo(user, "create", { kind: "dbdef" })) {
    throw notPermitted(user, "try connections of", "dbdef");
  }
  return planCheck("dbdef", request, input);
}

/** A new query, or with `query_id` a change of an existing one. Throws 403 for users without any right. */
export function planCheckQuery(request: ApiRequest, { user }: Caller, input: PlanInput): SimplePlan {
  if (!isAuthor(user, input.service)) throw notPermitted(user, "try queries of", "querydef");
  return planCheck("querydef", request, input);
}

function planCheck(kind: "dbdef" | "querydef", request: ApiRequest, input: PlanInput): SimplePlan {
  const allow = "POST, OPTIONS";
  requireData(request.format);
  if (request.method === "OPTIONS") return { kind: "options", allow };
  if (request.method !== "POST") throw refuseMethod(request.method, allow);
  return { kind: "task", task: { does: "check", kind, format: bodyFormat(request, input) } };
}

/** The format of a body with a definition. Throws 400 for parameters without meaning, and 415. */
export function bodyFormat(
  request: ApiRequest,
  { headers, service }: Pick<PlanInput, "headers" | "service">,
): BodyFormat {
  requireUseful(request, "write");
  return chooseBodyFormat(headers, request.extension, service);
}
