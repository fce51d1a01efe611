/**
 * Plans `/load-model`, `/unload-model` and `/settings/reflect-status`.
 *
 * @module
 */

import { planDocument } from "@/core/documents/plan_document.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { PlanInput, SimplePlan } from "@/core/plan.ts";
import { requireData } from "@/core/request/formats.ts";
import { requireUseful } from "@/core/request/parameters.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import { readName } from "@/core/request/path_grammar.ts";
import type { ConnectionOrder } from "@/core/service.ts";
import { refuseMethod } from "@/core/tables/allowed_methods.ts";
import { connectedDocument, mayKnow, stateDocument, statesDocument } from "./connections.ts";
import { definitionNotFound, notPermitted } from "./refusals.ts";

const ORDERING = "GET, HEAD, POST, OPTIONS";

/**
 * `GET` and `POST` of `/load-model/{db}` connect, of `/unload-model/{db}` disconnect; `HEAD` does neither.
 */
export function planOrder(
  order: ConnectionOrder,
): (request: ApiRequest, caller: Caller, input: PlanInput) => SimplePlan {
  return (request, { user }, { service }) => {
    const id = nameAt(request, 0);
    const managed = service.databases.get(id);
    if (!managed && mayDo(user, "view", { kind: "dbdef" })) throw definitionNotFound("dbdef", id);
    if (!managed || !mayDo(user, "execute", { kind: "dbdef", definition: managed.definition })) {
      throw notPermitted(user, order, "dbdef", id);
    }
    requireData(request.format);
    if (request.method === "OPTIONS") return { kind: "options", allow: ORDERING };
    if (!ORDERING.split(", ").includes(request.method)) throw refuseMethod(request.method, ORDERING);
    requireUseful(request, "order");
    if (request.method === "HEAD") {
      return { kind: "document", document: connectedDocument(user, managed, service) };
    }
    return { kind: "task", task: { does: order, managed } };
  };
}

/** `/settings/reflect-status`, and one database below it. */
export function planReflectStatus(request: ApiRequest, { user }: Caller, { service }: PlanInput): SimplePlan {
  const id = nameAt(request, 1);
  const managed = service.databases.get(id);
  if (id !== "" && !(managed && mayKnow(user, managed))) {
    throw mayDo(user, "view", { kind: "dbdef" })
      ? definitionNotFound("dbdef", id)
      : notPermitted(user, "see", "dbdef", id);
  }
  return planDocument(request, service, () => {
    return managed ? stateDocument(user, managed, service) : statesDocument(user, service);
  });
}

/** Reads the id in a segment of the path; empty for a path that ends before it. */
function nameAt({ grammar, segments }: ApiRequest, position: number): string {
  return readName(segments[position] ?? "", grammar).literal;
}
