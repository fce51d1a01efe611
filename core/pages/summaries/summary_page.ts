/**
 * The page with the summary and the chart of a list or of a query's result:
 * `?ui.chart={kind}&ui.x={column}` and so on.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import { badRequest, ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import { dataCrumbs } from "@/core/pages/lists/data_crumbs.ts";
import type { ViewPlan } from "@/core/plan.ts";
import type { QueryPlan } from "@/core/queries/plan_query.ts";
import { changeQuery } from "@/core/request/change_query.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import { uiValues } from "@/core/request/ui_values.ts";
import type { Walk } from "@/core/schema/walk_path.ts";
import type { Service } from "@/core/service.ts";
import { chartModel, type ValueNames } from "@/core/summaries/chart_model.ts";
import { executeSummary } from "@/core/summaries/execute_summary.ts";
import type { FilterLink } from "@/core/summaries/group_filter.ts";
import { askedColumns, planSummary, type SummaryPlan } from "@/core/summaries/plan_summary.ts";
import {
  type AskedChart,
  type ChartChoice,
  type ChartColumn,
  chartColumns,
  chartQuestion,
  isNumberOfRecord,
  proposeChart,
} from "@/core/summaries/propose_chart.ts";
import { type AskedColumn, readQuestion, type SummaryQuestion } from "@/core/summaries/question.ts";
import { summarizeQuery, summarizeRun } from "@/core/summaries/summarize_query.ts";
import type { ReadInput } from "@/core/tables/compile_read.ts";
import type { Crumb, PageAction, PageBlock, PageForm, Summary } from "@/plugins/contract.ts";
import { choiceForm } from "./summary_form.ts";
import { summaryTables } from "./summary_tables.ts";
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
  /** Absent: values are no links. */
  readonly filtered?: FilterLink;
  readonly secondDecimals?: number;
}

/** Where the page is. */
interface SummaryPlace {
  /** The form that runs the query again. Absent: the address shows the page again. */
  readonly again?: PageForm;
  /** The list without the state of the page. */
  readonly own: string;
  /** Parameters that the form sends along. */
  readonly kept: readonly (readonly [name: string, value: string])[];
  readonly title: string;
  /** The filters of the list or the values of the query; absent without. */
  readonly lead?: string;
  readonly crumbs: readonly Crumb[];
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
  input: ReadInput,
  { filtered, sentences }: { readonly filtered: FilterLink; readonly sentences: readonly string[] },
): SummaryPagePlan | ViewPlan {
  const { request, service } = input;
  const { table } = walk.last;
  const choice = chosen(chartColumns(table), askedChart(request));
  const columns = askedColumns(walk);
  const place = {
    title: `${table.name} in numbers`,
    ...(sentences.length === 0 ? {} : { lead: `Where ${sentences.join(" and ")}` }),
    crumbs: [...linked(dataCrumbs(walk, input), request, service), { label: "In numbers" }],
    ...addressOf(request, service),
  };
  const question = questionOf(choice, columns);
  if (question instanceof ServiceError) return refusedView(place, { choice, columns }, question);
  const list = planSummary(input, question, walk);
  return {
    kind: "summary",
    of: { list, choice, columns, ...defined({ names: planNames(walk, list.question.column, input) }) },
    ...place,
    filtered,
    ...defined({ secondDecimals: input.connection.database.sql.secondDecimals }),
  };
}

/** The question of a chart, or why it does not fit the columns. */
function questionOf(choice: ChartChoice, columns: readonly AskedColumn[]): SummaryQuestion | ServiceError {
  try {
    return readQuestion(chartQuestion(choice), columns);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Plans the summary of a query's result; `way` leads to the result. */
export function planQuerySummary(
  query: QueryPlan,
  request: ApiRequest,
  service: Service,
  way: readonly Crumb[],
  again?: PageForm,
): SummaryPagePlan {
  const [, , values] = again ? [] : way;
  return {
    kind: "summary",
    of: { query, asked: askedChart(request) },
    title: `${query.query.definition.id} in numbers`,
    ...(values === undefined ? {} : { lead: values.label }),
    crumbs: again ? way : [...linked(way, request, service), { label: "In numbers" }],
    ...addressOf(request, service),
    ...defined({ again }),
  };
}

function linked(crumbs: readonly Crumb[], request: ApiRequest, service: Service): readonly Crumb[] {
  const { own } = addressOf(request, service);
  return crumbs.map((crumb) => crumb.href === undefined ? { ...crumb, href: own } : crumb);
}

function addressOf(
  request: ApiRequest,
  { prefix, credentialNames }: Service,
): Pick<SummaryPlace, "own" | "kept"> {
  const query = changeQuery(request.query, { offset: undefined }, credentialNames);
  return { own: `${prefix}${request.path}.html${query}`, kept: [...new URLSearchParams(query)] };
}

function chosen(
  columns: readonly ChartColumn[],
  asked: AskedChart,
  of: "list" | "result" = "list",
): ChartChoice {
  const choice = proposeChart(columns, asked, of);
  if (choice) return choice;
  throw badRequest("Cannot sum this up: none of its columns has values that can be compared");
}

/** Stage 4: answers the question, and describes the page. */
export async function showSummary(plan: SummaryPagePlan, exchange: Exchange): Promise<ViewPlan> {
  const { of } = plan;
  let asked: Asked | undefined = "list" in of ? of : undefined;
  try {
    if ("list" in of) {
      const summary = await executeSummary(of.list, exchange);
      return viewOf(plan, of.choice, { summary, names: await of.names?.(summary, exchange) }, of.columns);
    }
    const summarize = of.query.asks === "run" ? summarizeRun : summarizeQuery;
    const summary = await summarize(of.query, (columns) => {
      const known = columns.map((column) => ({ ...column, isIdentity: isNumberOfRecord(column) }));
      const choice = chosen(known, of.asked, "result");
      asked = { choice, columns };
      return readQuestion(chartQuestion(choice), columns);
    }, exchange);
    if (!asked) throw new ServiceError("internal", "The question of a summary was not asked");
    return viewOf(plan, asked.choice, { summary }, asked.columns);
  } catch (error) {
    // The values of columns without a type say whether one can compute with them.
    if (asked && error instanceof ServiceError && error.status === 400) {
      return refusedView(plan, asked, error);
    }
    throw error;
  }
}

/** A chart as the form of the page has it. */
interface Asked {
  readonly choice: ChartChoice;
  readonly columns: readonly AskedColumn[];
}

/** The page of a question that does not fit: its form, which has the complaint. */
function refusedView(place: SummaryPlace, { choice, columns }: Asked, { message }: ServiceError): ViewPlan {
  return {
    kind: "view",
    crumbs: place.crumbs,
    status: 400,
    view: {
      title: place.title,
      ...defined({ lead: place.lead }),
      actions: wayBack(place),
      blocks: [...said(place), choiceForm(place, choice, columns, message)],
    },
  };
}

/** None to the result of a form: it would have to run the query again. */
function wayBack({ own, again }: SummaryPlace): readonly PageAction[] {
  return again ? [] : [{ label: "Back to the list", href: own, tone: "plain" }];
}

function said({ again }: SummaryPlace): readonly PageBlock[] {
  return again ? [{ kind: "notice", tone: "good", text: "The query has been run." }] : [];
}

function viewOf(
  plan: SummaryPagePlan,
  choice: ChartChoice,
  { summary, names = new Map() }: { readonly summary: Summary; readonly names?: ValueNames | undefined },
  columns: readonly AskedColumn[],
): ViewPlan {
  const chart = chartModel(choice, summary, names);
  return {
    kind: "view",
    crumbs: plan.crumbs,
    view: {
      title: plan.title,
      ...defined({ lead: plan.lead }),
      actions: wayBack(plan),
      blocks: [
        ...said(plan),
        choiceForm(plan, choice, columns),
        ...(chart
          ? [{ kind: "chart", chart } as const]
          : [{ kind: "text", text: "There are no values to draw." } as const]),
        ...summaryTables(plan, { summary, names, ...defined({ chart }) }),
      ],
    },
  };
}
