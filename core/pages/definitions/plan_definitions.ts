/**
 * Plans `/userdef`, `/dbdef` and `/querydef`: the map of all definitions that a caller may see, and each of
 * them.
 *
 * @module
 */

import { DEFINITION_FILES, type DefinitionKind } from "@/config/mod.ts";
import {
  definitionSchema,
  definitionsDocument,
  findDefinition,
  mayList,
  showDefinition,
} from "@/core/definitions/documents.ts";
import { bodyFormat } from "@/core/definitions/plan_check.ts";
import { definitionNotFound, notPermitted, notToBeDeleted } from "@/core/definitions/refusals.ts";
import { describeMembers } from "@/core/documents/documents.ts";
import { isReading, planDocument } from "@/core/documents/plan_document.ts";
import { mayDo, mayEdit } from "@/core/identity/definition_rights.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { PlanInput, SimplePlan } from "@/core/plan.ts";
import { requireUseful } from "@/core/request/parameters.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import { readName } from "@/core/request/path_grammar.ts";
import { uiValues } from "@/core/request/ui_values.ts";
import { definitionsView, definitionView } from "./definitions.ts";
import type { DefinitionsInput } from "./form_values.ts";

/** A request for definitions of one kind. */
type Planning = DefinitionsInput & Pick<PlanInput, "headers"> & { readonly request: ApiRequest };

const PURPOSES = ["new", "edit", "delete", "newkey", "nokey"];

/** Throws 400, 403, 404, 405 and 415. */
export function planDefinitions(
  kind: DefinitionKind,
): (request: ApiRequest, caller: Caller, input: PlanInput) => SimplePlan {
  return (request, { user: actor }, { service, headers, typed }) => {
    const ui = uiValues(request.query);
    const purpose = PURPOSES.find((name) => ui.has(name));
    const planning = { kind, actor, request, service, headers, typed, purpose };
    const [first = ""] = request.segments;
    if (first === "") return planList(planning);
    return planOne(planning, readName(first, request.grammar).literal);
  };
}

function planList(planning: Planning): SimplePlan {
  const { kind, request, actor, service } = planning;
  const mayCreate = mayDo(actor, "create", { kind });
  if (request.method === "POST" && !mayCreate) throw notPermitted(actor, "create", kind);
  if (request.method !== "POST" && !mayList(kind, actor, service)) throw notPermitted(actor, "see", kind);
  const create = (): SimplePlan => {
    return { kind: "task", task: { does: "create", kind, format: bodyFormat(request, planning) } };
  };
  const changes = mayCreate ? { POST: create } : {};
  return planDocument(request, service, () => definitionsDocument(kind, actor, service), {
    changes,
    view: () => definitionsView(planning),
  });
}

function planOne(planning: Planning, id: string): SimplePlan {
  const { kind, request, actor, service } = planning;
  const found = findDefinition(kind, id, service.configuration);
  // Users who may not see all definitions must not learn which ids exist.
  if (!found && mayDo(actor, "view", { kind })) {
    throw definitionNotFound(kind, id, service.configuration[DEFINITION_FILES[kind].entries].keys());
  }
  const mayChange = found !== undefined && mayEdit(actor, found);
  const mayDelete = found !== undefined && mayDo(actor, "delete", found);
  const shown = found && showDefinition(actor, found, service);
  const isLooking = request.method === "OPTIONS" || isReading(request);
  if (isLooking && !shown) throw notPermitted(actor, "see", kind, id);
  if (request.method === "PUT" && !mayChange) throw notPermitted(actor, "change", kind, id);
  if (request.method === "DELETE" && !mayDelete) throw notToBeDeleted(actor, kind, id);
  const update = (): SimplePlan => {
    return { kind: "task", task: { does: "update", kind, id, format: bodyFormat(request, planning) } };
  };
  const remove = (): SimplePlan => {
    requireUseful(request, "write");
    return { kind: "task", task: { does: "delete", kind, id } };
  };
  return planDocument(request, service, () => describeMembers(kind, definitionSchema(kind), shown ?? {}), {
    ...(found && shown ? { view: () => definitionView(planning, found, shown) } : {}),
    changes: { ...(mayChange ? { PUT: update } : {}), ...(mayDelete ? { DELETE: remove } : {}) },
  });
}
