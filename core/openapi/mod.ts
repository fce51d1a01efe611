/**
 * Plans `/openapi.json` and `/openapi/{db_id}.json`: an OpenAPI 3.1 document of exactly the
 * resources that the caller may use.
 *
 * @module
 */

import { findDatabase, type FoundDatabase, mappingOf } from "@/core/database/find_database.ts";
import { OPENAPI_SCHEMA } from "@/core/documents/document_schemas.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { DocumentShape } from "@/core/model.ts";
import type { AnswerPlan, SimplePlan } from "@/core/plan.ts";
import { requireUseful, wantsSchema } from "@/core/request/parameters.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { Service } from "@/core/service.ts";
import { READING, refuseMethod } from "@/core/tables/allowed_methods.ts";
import { planSchemaOf } from "@/core/tables/plan_read.ts";
import type { Description, DescriptionPlan } from "./describe.ts";

const SHAPE: DocumentShape = { name: "openapi", schema: OPENAPI_SCHEMA, columns: [] };

/**
 * Throws 400 or 406 for another format than JSON, 404 and 403 for the database, 503 while it is disconnected.
 */
export function planOpenApi(
  request: ApiRequest,
  caller: Caller,
  { service }: { readonly service: Service },
): SimplePlan | DescriptionPlan {
  const { method, format } = request;
  const [id = ""] = request.segments;
  const databases = id === "" ? reachable(caller, service) : [findDatabase(id, { request, caller, service })];
  if (method === "OPTIONS") return { kind: "options", allow: READING };
  if (method !== "GET" && method !== "HEAD") throw refuseMethod(method, READING);
  if (format.name !== "json") throw refuseFormat(request);
  requireUseful(request, "document");
  if (wantsSchema(request)) return planSchemaOf({ by: "documentSchema", shape: SHAPE }, request, service);
  const only = id === "" ? undefined : databases[0]?.managed.definition.id;
  const show = ({ bytes }: Description): AnswerPlan => {
    return { kind: "bytes", bytes, contentType: format.contentType };
  };
  return { kind: "description", databases, only, show };
}

/** The connected databases to which the caller has a mapping. */
function reachable({ user }: Caller, { databases }: Service): readonly FoundDatabase[] {
  return [...databases.values()].flatMap((managed) => {
    const mapping = mappingOf(user, managed);
    return mapping && managed.status === "Connected" ? [{ mapping, managed }] : [];
  });
}

function refuseFormat({ negotiated, format }: ApiRequest): ServiceError {
  return new ServiceError(
    negotiated ? "not-acceptable" : "bad-request",
    `Cannot describe the API in format ${format.name}: it is there as JSON, /openapi.json`,
  );
}
