/**
 * Plans `POST` of a definition that is tested without being stored.
 *
 * @module
 */

import { chooseBodyFormat } from "@/core/request/body.ts";
import { refuseMethod } from "@/core/tables/allowed_methods.ts";
import { requireUseful } from "@/core/request/parameters.ts";
import type { PlanInput, SimplePlan } from "@/core/plan.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";

const METHODS = "POST, OPTIONS";

/** Plans the test of the definition in the body. Throws 405 for other methods. */
export function planCheck(
  kind: "dbdef" | "querydef",
  request: ApiRequest,
  { service, headers }: PlanInput,
): SimplePlan {
  if (request.method === "OPTIONS") return { kind: "options", allow: METHODS };
  if (request.method !== "POST") throw refuseMethod(request.method, METHODS);
  requireUseful(request, "write");
  const format = chooseBodyFormat(headers, request.extension, service);
  return { kind: "task", effect: true, task: { does: "check", kind, format } };
}
