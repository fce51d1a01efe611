/**
 * Plans resources about the connections of databases: `/load-model`, `/unload-model`, `/settings/reflect-status` and
 * `/settings/check-database-connection`.
 *
 * @module
 */

import { connectedDocument, mayKnow, stateDocument, statesDocument } from "./connection_status.ts";
import { isGone, mayNot } from "./refusals.ts";
import type { ConnectionOrder } from "@/core/service.ts";
import { refuseMethod } from "@/core/tables/allowed_methods.ts";
import { readName } from "@/core/request/path_grammar.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { PlanInput, SimplePlan } from "@/core/plan.ts";
import { planCheck } from "./plan_check.ts";
import { planDocument } from "@/core/documents/plan_document.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";

const ORDERING = "GET, HEAD, POST, OPTIONS";

/** `GET` and `POST` of `/load-model/{db}` connect, of `/unload-model/{db}` disconnect; `HEAD` does neither. */
export function planOrder(
  order: ConnectionOrder,
): (request: ApiRequest, caller: Caller, input: PlanInput) => SimplePlan {
  return (request, { user }, { service }) => {
    const id = idOf(request, 0);
    const managed = service.databases.get(id);
    if (!managed && mayDo(user, "view", { kind: "dbdef" })) throw isGone("dbdef", id);
    if (!managed || !mayDo(user, "execute", { kind: "dbdef", definition: managed.definition })) {
      throw mayNot(user, order, "dbdef", id);
    }
    if (request.method === "OPTIONS") return { kind: "options", allow: ORDERING };
    if (request.method === "HEAD") {
      return { kind: "document", document: connectedDocument(user, managed, service) };
    }
    if (request.method !== "GET" && request.method !== "POST") throw refuseMethod(request.method, ORDERING);
    return { kind: "task", effect: true, task: { does: order, managed } };
  };
}

/** `/settings/reflect-status`, and one database below it. */
export function planReflectStatus(request: ApiRequest, { user }: Caller, { service }: PlanInput): SimplePlan {
  const id = idOf(request, 1);
  const managed = service.databases.get(id);
  if (id !== "" && !(managed && mayKnow(user, managed))) {
    throw mayDo(user, "view", { kind: "dbdef" }) ? isGone("dbdef", id) : mayNot(user, "see", "dbdef", id);
  }
  return planDocument(request, service, () => {
    return managed ? stateDocument(user, managed, service) : statesDocument(user, service);
  });
}

/** `POST /settings/check-database-connection`: a new definition, or with `db_id` a change of an existing one. */
export function planCheckConnection(request: ApiRequest, { user }: Caller, input: PlanInput): SimplePlan {
  const { service } = input;
  const mayCreate = mayDo(user, "create", { kind: "dbdef" });
  const mayEdit = [...service.databases.values()].some(({ definition }) =>
    mayDo(user, "edit", { kind: "dbdef", definition })
  );
  if (!mayCreate && !mayEdit) throw mayNot(user, "try connections of", "dbdef");
  return planCheck("dbdef", request, input);
}

/** Reads the id in a segment of the path; empty for a path that ends before it. */
function idOf({ grammar, segments }: ApiRequest, position: number): string {
  return readName(segments[position] ?? "", grammar).literal;
}
