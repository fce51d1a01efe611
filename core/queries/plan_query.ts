/**
 * Plans `/query`: the saved query and its arguments. The columns of its result become known when it runs.
 *
 * @module
 */

import { isReading } from "@/core/documents/plan_document.ts";
import { quote } from "@/core/errors.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { PlanInput, SimplePlan } from "@/core/plan.ts";
import { chooseBodyFormat } from "@/core/request/body_format.ts";
import { requireData } from "@/core/request/formats.ts";
import { requireUseful, wantsSchema } from "@/core/request/parameters.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { BodyFormat } from "@/core/request/read_records.ts";
import { refuseMethod } from "@/core/tables/allowed_methods.ts";
import { checkCombinations, type ReadPlan } from "@/core/tables/plan_read.ts";
import { type QueryParameters, type QueryPath, readQueryPath } from "./arguments.ts";
import { methodsOf, type ReachedQuery, reachQuery } from "./find_query.ts";
import { findQueryText } from "./saved_query.ts";

/** A saved query to run, or to describe. */
export interface QueryPlan extends Omit<ReachedQuery, "definition"> {
  readonly kind: "query";
  readonly request: ApiRequest;
  /** `run`: the request is a POST, PUT or DELETE. */
  readonly asks: "schema" | "rows" | "run";
  /** It may change something. */
  readonly effect: boolean;
  /** The kind of failure of its statement: that of a POST, PUT or DELETE of records. */
  readonly does: "read" | "insert" | "update" | "delete";
  readonly query: QueryParameters;
  readonly path: QueryPath;
  /** Absent: the request has no body. */
  readonly body?: BodyFormat;
  /** The page of its result; only for formats with pages. */
  readonly shown?: ReadPlan["shown"];
  /** It runs in a read-only transaction. */
  readonly readOnly: boolean;
}

/** A GET that may write violates integrity rules like a POST. */
function doesOf(method: string, readOnly: boolean): QueryPlan["does"] {
  if (method === "PUT") return "update";
  if (method === "DELETE") return "delete";
  return method !== "POST" && readOnly ? "read" : "insert";
}

/**
 * Throws 404 for an unknown query, 403 without the right, 405, 400 for
 * arguments, 503 for SQL that is refused.
 */
export function planQuery(request: ApiRequest, caller: Caller, input: PlanInput): SimplePlan | QueryPlan {
  const { service, headers } = input;
  const [id = "", ...segments] = request.segments;
  const { definition, ...reached } = reachQuery(id, request, caller, service);
  const { method } = request;
  const allowed = methodsOf(definition);
  const allow = allowed.join(", ");
  if (method === "OPTIONS") return { kind: "options", allow };
  if (!allowed.includes(method)) throw refuseMethod(method, allow, `query ${quote(definition.id)}`);
  const { parameters: names } = findQueryText(definition, reached.view);
  const query = { definition, names, special: reached.view.database.sql.special };
  const path = readQueryPath(segments, query, request.grammar);
  const asks = checkRequest(request);
  const readOnly = definition.readOnly ?? asks !== "run";
  const takesBody = (method === "POST" || method === "PUT") && mayHaveBody(headers);
  return {
    kind: "query",
    request,
    asks,
    effect: asks !== "schema" && !readOnly,
    does: doesOf(method, readOnly),
    ...reached,
    query,
    path,
    readOnly,
    ...(takesBody ? { body: chooseBodyFormat(headers, request.extension, service) } : {}),
  };
}

/** Over HTTP/2 a body has no `Transfer-Encoding`, and may have no `Content-Length`: its type tells of it. */
function mayHaveBody(headers: Headers): boolean {
  const length = headers.get("content-length");
  if (length !== null) return Number(length) > 0;
  return headers.has("transfer-encoding") || headers.has("content-type");
}

function checkRequest(request: ApiRequest): QueryPlan["asks"] {
  if (!isReading(request)) {
    requireUseful(request, "run");
    requireData(request.format);
    return "run";
  }
  requireUseful(request, "rows");
  checkCombinations(request);
  return wantsSchema(request) ? "schema" : "rows";
}
