/**
 * `/openapi` for people: the operations that the caller may use, and where programs find their description.
 *
 * @module
 */

import { isReading } from "@/core/documents/plan_document.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import { planOpenApi } from "@/core/openapi/mod.ts";
import type { PlanInput, SimplePlan } from "@/core/plan.ts";
import { wantsSchema } from "@/core/request/parameters.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import { readName } from "@/core/request/path_grammar.ts";
import type { Service } from "@/core/service.ts";
import type { PageBlock, PageText, PageView } from "@/plugins/contract.ts";
import { databaseCards } from "./databases.ts";

/** The members of a description that the page shows. */
interface Described {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
}

const METHODS = ["get", "post", "put", "delete"];

/** Programs get the description itself, people a page about it. */
export function planOpenApiPage(request: ApiRequest, caller: Caller, input: PlanInput): SimplePlan {
  const { format } = request;
  const json = input.service.formats.get("json");
  if (!json || !format.format.view || !isReading(request) || wantsSchema(request)) {
    return planOpenApi(request, caller, input);
  }
  const plan = planOpenApi({ ...request, format: json }, caller, input);
  if (plan.kind !== "text") return plan;
  return { kind: "view", view: viewOf(JSON.parse(plan.text), request, caller, input.service) };
}

function viewOf({ info, paths }: Described, request: ApiRequest, caller: Caller, service: Service): PageView {
  const { prefix, product } = service;
  const id = request.segments[0] ?? "";
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    METHODS.flatMap((method): PageText[][] => {
      const operation = operations[method];
      if (!operation) return [];
      const shown = { text: prefix + path, isCode: true } as const;
      return [[method.toUpperCase(), shown, operation.summary ?? operation.description ?? ""]];
    })
  );
  const operations: PageBlock = {
    kind: "table",
    caption: "Operations that you may use",
    narrow: "Narrow the list",
    columns: [{ label: "Method" }, { label: "Path" }, { label: "Effect" }],
    rows,
    empty: "There are none.",
  };
  const document = `${prefix}${request.path}.json`;
  return {
    title: `The API of ${id === "" ? product : readName(id, request.grammar).literal}`,
    lead: "Every page has an address for programs: exchange .html for .json, .xml, .csv or .txt.",
    actions: [{ label: "OpenAPI document", href: document }],
    blocks: [
      ...info.description.split("\n\n").slice(1).map((text): PageBlock => ({
        kind: "text",
        text: text.replaceAll("`", ""),
      })),
      ...(id === "" ? databaseLinks(caller, service) : []),
      {
        kind: "section",
        id: "operations",
        title: "Operations",
        // The document of the whole service may be too long for the explorer.
        blocks: [id === "" ? operations : { kind: "explorer", document, otherwise: [operations] }],
      },
    ],
  };
}

function databaseLinks(caller: Caller, service: Service): readonly PageBlock[] {
  const items = databaseCards(caller, service).map(({ label, href = "" }) => ({
    label,
    href: href.replace("/db/", "/openapi/"),
    note: "Try its operations",
  }));
  if (items.length === 0) return [];
  return [{
    kind: "section",
    id: "databases",
    title: "By database",
    blocks: [{ kind: "links", style: "list", items }],
  }];
}
