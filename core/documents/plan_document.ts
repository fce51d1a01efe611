/**
 * Plans documents and their schemas.
 *
 * @module
 */

import type { SimplePlan } from "@/core/plan.ts";
import { requireUseful, wantsSchema } from "@/core/request/parameters.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { Service } from "@/core/service.ts";
import { refuseMethod } from "@/core/tables/allowed_methods.ts";
import { planSchemaOf } from "@/core/tables/plan_read.ts";
import type { PageView } from "@/plugins/contract.ts";
import type { Described } from "./documents.ts";

/** The parts of a resource beside its document. */
interface Beside {
  /** Plans the further methods that the caller may use. */
  readonly changes?: Readonly<Record<string, () => SimplePlan>>;
  /** The page for people, for formats that write such pages. */
  readonly view?: () => PageView;
}

/** Shows a document, its schema or its page. */
export function planDocument(
  request: ApiRequest,
  service: Service,
  make: () => Described,
  { changes = {}, view }: Beside = {},
): SimplePlan {
  const allow = ["GET", "HEAD", ...Object.keys(changes), "OPTIONS"].join(", ");
  if (request.method === "OPTIONS") return { kind: "options", allow };
  if (!isReading(request)) {
    const change = Object.hasOwn(changes, request.method) ? changes[request.method] : undefined;
    if (!change) throw refuseMethod(request.method, allow);
    return change();
  }
  requireUseful(request, "document");
  if (view && asksPage(request)) return { kind: "view", view: view() };
  const { document, shape } = make();
  if (wantsSchema(request)) return planSchemaOf({ by: "documentSchema", shape }, request, service);
  return { kind: "document", document };
}

/** Whether people read the answer: the request reads, its format has views, and no schema is asked for. */
export function asksPage(request: ApiRequest): boolean {
  return request.format.format.view !== undefined && isReading(request) && !wantsSchema(request);
}

/** Whether the method is GET or HEAD. */
export function isReading({ method }: ApiRequest): boolean {
  return method === "GET" || method === "HEAD";
}
