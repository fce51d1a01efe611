/**
 * `/openapi` for people: the operations that the caller may use, and where programs find their description.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import { asksPage } from "@/core/documents/plan_document.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import { type Description, descriptionOf, type DescriptionPlan } from "@/core/openapi/describe.ts";
import { planOpenApi } from "@/core/openapi/mod.ts";
import type { PlanInput, SimplePlan, ViewPlan } from "@/core/plan.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import { readName } from "@/core/request/path_grammar.ts";
import type { Service } from "@/core/service.ts";
import type { PageBlock, PageLink, PageText, PageView } from "@/plugins/contract.ts";
import { pageAddress } from "./address.ts";
import { section, table } from "./blocks.ts";
import { databaseCards, STATES } from "./databases.ts";

/** Programs get the description itself, people a page about it. */
export function planOpenApiPage(
  request: ApiRequest,
  caller: Caller,
  input: PlanInput,
): SimplePlan | DescriptionPlan {
  const json = input.service.formats.get("json");
  if (!json || !asksPage(request)) return planOpenApi(request, caller, input);
  const plan = planOpenApi({ ...request, format: json }, caller, input);
  if (plan.kind !== "description") return plan;
  const show = (description: Description): ViewPlan => {
    return { kind: "view", view: viewOf(description, request, caller, input.service) };
  };
  return { ...plan, show };
}

function viewOf(description: Description, request: ApiRequest, caller: Caller, service: Service): PageView {
  const { prefix, product } = service;
  const id = request.segments[0] ?? "";
  const rows = description.operations.map(([method, path, effect]): PageText[] => {
    return [method, { text: prefix + path, isCode: true }, effect];
  });
  const operations: PageBlock = {
    ...table("Operations that you may use", ["Method", "Path", "Effect"], rows, "There are none."),
    narrow: "Narrow the list",
  };
  const document = `${prefix}${request.path}.json`;
  return {
    title: `The API of ${id === "" ? product : readName(id, request.grammar).literal}`,
    lead: "Every page has an address for programs: replace .html with .json or another format.",
    actions: [{ label: "OpenAPI document", href: document }],
    blocks: [
      ...descriptionOf(service).split("\n\n").slice(1).map((text): PageBlock => ({
        kind: "text",
        text: text.replaceAll("`", ""),
      })),
      ...(id === "" ? databaseLinks(caller, service) : []),
      // The document of the whole service may be too long for the explorer.
      section(
        "operations",
        "Operations",
        id === "" ? operations : { kind: "explorer", document, otherwise: [operations] },
      ),
    ],
  };
}

function databaseLinks(caller: Caller, service: Service): readonly PageBlock[] {
  const items = databaseCards(caller, service).map(({ label, status }): PageLink =>
    status === STATES.connected
      ? { label, href: pageAddress("openapi", label, service), note: "Try its operations" }
      : { label, ...defined({ status }) }
  );
  if (items.length === 0) return [];
  return [section("databases", "By database", { kind: "links", style: "list", items })];
}
