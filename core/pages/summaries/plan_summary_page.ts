/**
 * Plans the page with the summary and the chart of a list or of a query's result:
 * `?ui.chart={kind}&ui.x={column}` and so on.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import { ServiceError } from "@/core/errors.ts";
import { dataCrumbs } from "@/core/pages/data_crumbs.ts";
import type { ViewPlan } from "@/core/plan.ts";
import type { QueryPlan } from "@/core/queries/plan_query.ts";
import { changeQuery } from "@/core/request/change_query.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import { uiValues } from "@/core/request/ui_values.ts";
import type { Walk } from "@/core/schema/walk_path.ts";
import type { Service } from "@/core/service.ts";
import type { FilterLink } from "@/core/summaries/group_filter.ts";
import { planSummary, type SummaryPlan } from "@/core/summaries/plan_summary.ts";
import {
  type AskedChart,
  type ChartChoice,
  chartColumns,
  chartQuestion,
  proposeChart,
} from "@/core/summaries/propose_chart.ts";
import { type AskedColumn, readQuestion } from "@/core/summaries/question.ts";
import type { DataRequest } from "@/core/tables/compile_read.ts";
import type { Crumb, PageForm } from "@/plugins/contract.ts";
import { refusedView, type SummaryPlace } from "./summary_view.ts";
import { type NameReader, planNames } from "./value_names.ts";

/** The page of a summary; stage 4 answers its question. */
export interface SummaryPagePlan extends SummaryPlace {
  readonly kind: "summary";
  /** A list, or a query whose columns become known when it is prepared. */
  readonly of:
    | {
      readonly list: SummaryPlan;
      readonly choice: ChartChoice;
      readonly columns: readonly AskedColumn[];
      /** Absent: the values are their own names. */
      readonly names?: NameReader;
    }
    | { readonly query: QueryPlan; readonly asked: AskedChart };
}

/** Whether a request asks for the page. */
export function asksSummary({ query, format }: ApiRequest): boolean {
  return format.format.view !== undefined && uiValues(query).has("chart");
}

function askedChart({ query }: ApiRequest): AskedChart {
  const ui = uiValues(query);
  const of = (name: string) => ui.get(name)?.at(-1);
  return { kind: of("chart"), x: of("x"), y: of("y"), by: of("by"), total: of("total") };
}

/**
 * Plans the summary of a list. Throws 400 for a table without columns that can be
 * summed up; a wrong question has its form again.
 */
export function planListSummary(
  walk: Walk,
  input: DataRequest,
  { filtered, sentences }: { readonly filtered: FilterLink; readonly sentences: readonly string[] },
): SummaryPagePlan | ViewPlan {
  const { request, service } = input;
  const { columns: listed, last: { table } } = walk;
  const { distinct = false } = request.parameters;
  // Distinct rows have the listed columns alone.
  const isThere = (_: unknown, position: number) => !distinct || (listed?.includes(position) ?? true);
  const choice = proposeChart(chartColumns(table).filter(isThere), askedChart(request));
  const columns = table.columns.filter(isThere);
  const place = {
    title: `${table.name} in numbers`,
    ...(sentences.length === 0 ? {} : { lead: `Where ${sentences.join(" and ")}` }),
    ...placeOf(dataCrumbs(walk, input), request, service),
  };
  try {
    const list = planSummary(input, readQuestion(chartQuestion(choice), table.columns), walk);
    return {
      kind: "summary",
      of: { list, choice, columns, ...defined({ names: planNames(walk, list.question.column, input) }) },
      ...place,
      filtered,
      ...defined({ secondDecimals: input.connection.database.sql.secondDecimals }),
    };
  } catch (error) {
    if (error instanceof ServiceError) return refusedView(place, { choice, columns }, error);
    throw error;
  }
}

/** Plans the summary of a query's result; `crumbs` are those of the result. */
export function planQuerySummary(
  query: QueryPlan,
  request: ApiRequest,
  service: Service,
  crumbs: readonly Crumb[],
  again?: PageForm,
): SummaryPagePlan {
  const [, , values] = again ? [] : crumbs;
  return {
    kind: "summary",
    of: { query, asked: askedChart(request) },
    title: `${query.query.definition.id} in numbers`,
    ...(values === undefined ? {} : { lead: values.label }),
    ...placeOf(crumbs, request, service),
    ...(again ? { crumbs, again } : {}),
  };
}

/** The place of the summary of a page, whose breadcrumbs these are. */
function placeOf(
  above: readonly Crumb[],
  request: ApiRequest,
  { prefix, credentialNames }: Service,
): Pick<SummaryPlace, "own" | "kept" | "crumbs"> {
  const query = changeQuery(request.query, { offset: undefined }, credentialNames);
  const own = `${prefix}${request.path}.html${query}`;
  const crumbs = [...above.map((crumb) => ({ href: own, ...crumb })), { label: "In numbers" }];
  return { own, kept: [...new URLSearchParams(query)], crumbs };
}
