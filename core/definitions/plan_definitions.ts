/**
 * Plans `/userdef`, `/dbdef` and `/querydef`: the map of all definitions that a caller may see, and each of
 * them; also `POST` of a definition that is tested without being stored.
 *
 * @module
 */

import { DEFINITION_FILES, type DefinitionKind } from "@/config/mod.ts";
import { describeMembers } from "@/core/documents/documents.ts";
import { isReading, planDocument } from "@/core/documents/plan_document.ts";
import { mayDo, mayEdit } from "@/core/identity/definition_rights.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { JsonObject } from "@/core/model.ts";
import type { PlanInput, SimplePlan, Task, TaskPlan } from "@/core/plan.ts";
import { chooseBodyFormat } from "@/core/request/body_format.ts";
import { requireData } from "@/core/request/formats.ts";
import { requireUseful } from "@/core/request/parameters.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import { readName } from "@/core/request/path_grammar.ts";
import { refuseMethod } from "@/core/tables/allowed_methods.ts";
import type { PageView } from "@/plugins/contract.ts";
import {
  type Definition,
  definitionSchema,
  definitionsDocument,
  findDefinition,
  mayList,
  showDefinition,
} from "./documents.ts";
import { definitionNotFound, notPermitted, notToBeDeleted } from "./refusals.ts";

/** Throws 400, 403, 404, 405 and 415. */
export function planDefinitions(
  kind: DefinitionKind,
  pages: DefinitionPages,
): (request: ApiRequest, caller: Caller, input: PlanInput) => SimplePlan {
  return (request, caller, input) => {
    const [first = ""] = request.segments;
    const planning = { kind, request, caller, ...input, pages };
    if (first === "") return planList(planning);
    return planOne(planning, readName(first, request.grammar).literal);
  };
}

/** The pages of definitions for people; they stand in a room above this one. */
export interface DefinitionPages {
  list(planning: Planning): PageView;
  one(planning: Planning, found: Definition, shown: JsonObject): PageView;
}

/** A request for definitions of one kind. */
export interface Planning extends PlanInput {
  readonly kind: DefinitionKind;
  readonly request: ApiRequest;
  readonly caller: Caller;
  readonly pages: DefinitionPages;
}

function planList(planning: Planning): SimplePlan {
  const { kind, request, caller: { user }, service, pages } = planning;
  const mayCreate = mayDo(user, "create", { kind });
  if (request.method === "POST" && !mayCreate) throw notPermitted(user, "create", kind);
  if (request.method !== "POST" && !mayList(kind, user, service)) throw notPermitted(user, "see", kind);
  const create = () => taskOf({ does: "create", kind, format: bodyFormat(planning) });
  const changes = mayCreate ? { POST: create } : {};
  return planDocument(request, service, () => definitionsDocument(kind, user, service), {
    changes,
    view: () => pages.list(planning),
  });
}

function planOne(planning: Planning, id: string): SimplePlan {
  const { kind, request, caller: { user }, service, pages } = planning;
  const found = findDefinition(kind, id, service.configuration);
  // Users who may not see all definitions must not learn which ids exist.
  if (!found && mayDo(user, "view", { kind })) {
    throw definitionNotFound(kind, id, service.configuration[DEFINITION_FILES[kind].entries].keys());
  }
  const mayChange = found !== undefined && mayEdit(user, found);
  const mayDelete = found !== undefined && mayDo(user, "delete", found);
  const shown = found && showDefinition(user, found, service);
  const isLooking = request.method === "OPTIONS" || isReading(request);
  if (isLooking && !shown) throw notPermitted(user, "see", kind, id);
  if (request.method === "PUT" && !mayChange) throw notPermitted(user, "change", kind, id);
  if (request.method === "DELETE" && !mayDelete) throw notToBeDeleted(user, kind, id);
  const update = () => taskOf({ does: "update", kind, id, format: bodyFormat(planning) });
  const remove = () => {
    requireUseful(request, "write");
    return taskOf({ does: "delete", kind, id });
  };
  return planDocument(request, service, () => describeMembers(kind, definitionSchema(kind), shown ?? {}), {
    ...(found && shown ? { view: () => pages.one(planning, found, shown) } : {}),
    changes: { ...(mayChange ? { PUT: update } : {}), ...(mayDelete ? { DELETE: remove } : {}) },
  });
}

/** Plans the test of the definition in the body. Throws 405 for other methods. */
export function planCheck(kind: "dbdef" | "querydef", request: ApiRequest, input: PlanInput): SimplePlan {
  const allow = "POST, OPTIONS";
  requireData(request.format);
  if (request.method === "OPTIONS") return { kind: "options", allow };
  if (request.method !== "POST") throw refuseMethod(request.method, allow);
  return taskOf({ does: "check", kind, format: bodyFormat({ request, ...input }) });
}

function taskOf(task: Task): TaskPlan {
  return { kind: "task", effect: true, task };
}

function bodyFormat({ request, headers, service }: PlanInput & Pick<Planning, "request">) {
  requireUseful(request, "write");
  return chooseBodyFormat(headers, request.extension, service);
}
