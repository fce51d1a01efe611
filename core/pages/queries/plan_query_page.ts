/**
 * Pages of saved queries: the list, and the form for the values of a query's parameters. The form leads (303)
 * to the address of the result, which can be copied and kept.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import { indexNames } from "@/core/base/name_index.ts";
import { asksPage, isReading, planDocument } from "@/core/documents/plan_document.ts";
import { ServiceError } from "@/core/errors.ts";
import { mayDo } from "@/core/identity/definition_rights.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import { pageAddress } from "@/core/pages/address.ts";
import { notice } from "@/core/pages/blocks.ts";
import { plainComplaint } from "@/core/pages/form_state.ts";
import {
  asksSummary,
  planQuerySummary,
  type SummaryPagePlan,
} from "@/core/pages/summaries/plan_summary_page.ts";
import type { PlanInput, SimplePlan } from "@/core/plan.ts";
import { completeArguments, readQueryPath } from "@/core/queries/arguments.ts";
import { queriesDocument, type ReachedQuery, reachQuery } from "@/core/queries/find_query.ts";
import { planQuery, type QueryPlan } from "@/core/queries/plan_query.ts";
import { findQueryText } from "@/core/queries/saved_query.ts";
import { changeQuery } from "@/core/request/change_query.ts";
import type { FormState } from "@/core/request/form_fields.ts";
import { type ApiRequest, isEnd } from "@/core/request/parse_request.ts";
import { decodeText, readName } from "@/core/request/path_grammar.ts";
import { encodeUrl, printName, printValue } from "@/core/request/print_path.ts";
import { uiValues } from "@/core/request/ui_values.ts";
import type { Service } from "@/core/service.ts";
import type { PageView } from "@/plugins/contract.ts";
import { argumentFields } from "./argument_fields.ts";
import { definitionLinks, queryCrumbs, queryLinks } from "./query_links.ts";
import { shownOf } from "./query_list.ts";
import { AS_CHART, isSentByForm, runShown, runView, unchanged } from "./run_form.ts";

/** Plans a query for people: a form as long as values are missing. Programs get what they always get. */
export function planQueryPage(
  request: ApiRequest,
  caller: Caller,
  input: PlanInput,
): SimplePlan | QueryPlan | SummaryPagePlan {
  const { service } = input;
  if (isEnd(request.segments)) {
    return planDocument(request, service, () => queriesDocument(caller, service), {
      view: () => queriesView(caller, service),
    });
  }
  if (input.typed && request.format.format.view && !isReading(request)) {
    return planRun(request, caller, input, input.typed);
  }
  if (!asksPage(request)) return planQuery(request, caller, input);
  const [id = "", ...segments] = request.segments;
  const reached = reachQuery(id, request, caller, service);
  const { definition } = reached;
  const text = findQueryText(definition, reached.view);
  const { parameters: names } = text;
  const ui = uiValues(request.query);
  if (names.some((name) => ui.has(`arg.${name}`) || ui.has(`null.${name}`))) {
    return { kind: "redirect", status: 303, location: addressOf(reached, names, ui, request, service) };
  }
  const state = readGiven(segments, reached, names, request);
  const crumbs = queryCrumbs(definition.id, service);
  const actions = definitionLinks(definition, caller.user, service);
  if (isSentByForm(definition, text)) {
    const view = runView({ definition, names, given: state.given, typed: input.typed, actions, service });
    return { kind: "view", view, crumbs };
  }
  const isComplete = state.problem === undefined && names.every((name) => state.given.has(name));
  if (isComplete && !ui.has("edit")) {
    const plan = planQuery(request, caller, input);
    if (plan.kind !== "query") return plan;
    const shown = shownOf(definition.id, { given: state.given, further: actions }, request, service);
    if (asksSummary(request)) return planQuerySummary(plan, request, service, shown.crumbs);
    return { ...plan, shown };
  }
  const view = { ...formView(reached, names, state, service), actions };
  return { kind: "view", view, crumbs, ...defined({ refusal: state.problem }) };
}

/** Plans the page of a query that a form runs. */
function planRun(
  request: ApiRequest,
  caller: Caller,
  input: PlanInput,
  typed: FormState,
): SimplePlan | QueryPlan | SummaryPagePlan {
  const plan = planQuery(request, caller, input);
  if (plan.kind !== "query") return plan;
  const { service } = input;
  const shown = runShown(plan, typed, service);
  if (!shown?.run) return plan;
  if (!asksSummary(request)) return { ...plan, shown };
  const { hidden, ...form } = unchanged(shown.run.again);
  const again = { ...form, hidden: { ...hidden, "ui.as": AS_CHART } };
  return planQuerySummary(plan, request, service, shown.crumbs, again);
}

function queriesView(caller: Caller, service: Service): PageView {
  const mayAdd = mayDo(caller.user, "create", { kind: "querydef" });
  return {
    title: "Queries",
    ...(mayAdd
      ? { actions: [{ label: "Add a query", href: `${service.prefix}/querydef.html?ui.new`, tone: "plain" }] }
      : {}),
    blocks: [{
      kind: "links",
      style: "cards",
      items: queryLinks(caller, service),
      empty: "There is no query that you may run.",
    }],
  };
}

/** The values of the path as they were typed, null for NULL, and why they cannot all be used. */
interface Given {
  readonly given: ReadonlyMap<string, string | null>;
  readonly problem?: ServiceError;
}

/** A path with some of the values is a mistake; the form as it is opened has none yet. */
function readGiven(
  segments: readonly string[],
  { definition, view }: ReachedQuery,
  names: readonly string[],
  { grammar }: ApiRequest,
): Given {
  const query = { definition, names, special: view.database.sql.special };
  try {
    const { arguments: found } = readQueryPath(segments, query, grammar);
    if (found.size > 0) completeArguments(found, query);
    return {
      given: new Map([...found].map(([name, value]) => [name, value === null ? null : String(value)])),
    };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { given: typedIn(segments, names, grammar), problem: error };
  }
}

/** The values of known parameters, whether they can be used or not. */
function typedIn(
  segments: readonly string[],
  names: readonly string[],
  grammar: ApiRequest["grammar"],
): ReadonlyMap<string, string | null> {
  const index = indexNames(names);
  const pairs = segments.flatMap((raw, position): (readonly [string, string | null])[] => {
    const value = segments[position + 1];
    if (position % 2 === 1 || value === undefined) return [];
    const { literal, substituted } = readName(raw, grammar);
    const name = index.find(literal) ?? index.find(substituted);
    if (name === undefined) return [];
    return [[name, grammar.nullMarker.test(value) ? null : decodeText(value, grammar)]];
  });
  return new Map(pairs);
}

/** The address of the result for the values of the form; those that are left empty are asked for again. */
function addressOf(
  { definition: { id, parameters } }: ReachedQuery,
  names: readonly string[],
  ui: ReadonlyMap<string, readonly string[]>,
  { query, format }: ApiRequest,
  { prefix, links, credentialNames }: Service,
): string {
  const steps = names.flatMap((name) => {
    const [typed = ""] = ui.get(`arg.${name}`) ?? [];
    const value = (parameters.get(name) ?? "text") === "text" ? typed : typed.trim();
    const isNull = ui.has(`null.${name}`);
    if (value === "" && !isNull) return [];
    return [`/${printName(name, links)}/${isNull ? "<null>" : printValue(value, links)}`];
  });
  const path = `${prefix}/query/${printName(id, links)}${steps.join("")}.${format.name}`;
  return encodeUrl(path + changeQuery(query, { offset: undefined }, credentialNames));
}

function formView(
  { definition: { id, description, parameters } }: ReachedQuery,
  names: readonly string[],
  { given, problem }: Given,
  service: Service,
): PageView {
  const complaints = new Map(
    problem?.complaints.map(({ column, sentence }) => [column, plainComplaint(sentence)]),
  );
  const fields = argumentFields(names, ["ui.arg.", "ui.null."], (name) => ({
    type: parameters.get(name),
    value: given.get(name),
    problem: complaints.get(name) ?? (problem && !given.has(name) ? "needs a value" : undefined),
    isRequired: true,
  }));
  return {
    title: id,
    ...(description === "" ? {} : { lead: description }),
    blocks: [
      ...(problem === undefined || complaints.size > 0 ? [] : [notice("problem", problem.message)]),
      {
        kind: "form",
        method: "get",
        action: pageAddress("query", id, service),
        hidden: {},
        fields,
        buttons: [{ label: "Run" }],
      },
    ],
  };
}
