/**
 * The page of a summary: its form, the chart, and the numbers as tables. Pure.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import type { ServiceError } from "@/core/errors.ts";
import { notice } from "@/core/pages/blocks.ts";
import type { ViewPlan } from "@/core/plan.ts";
import { chartModel, type ValueNames } from "@/core/summaries/chart_model.ts";
import type { ChartChoice } from "@/core/summaries/propose_chart.ts";
import type { AskedColumn } from "@/core/summaries/question.ts";
import type { Crumb, PageAction, PageBlock, Summary } from "@/plugins/contract.ts";
import { choiceForm, type FormPlace } from "./summary_form.ts";
import { type ListPlace, summaryTables } from "./summary_tables.ts";

/** Where the page is. */
export interface SummaryPlace extends FormPlace, ListPlace {
  readonly title: string;
  /** The filters of the list or the values of the query; absent without. */
  readonly lead?: string;
  readonly crumbs: readonly Crumb[];
}

/** A chart as the form of the page has it. */
export interface AskedSummary {
  readonly choice: ChartChoice;
  readonly columns: readonly AskedColumn[];
}

/** The page of a question that does not fit: its form, which has the complaint. */
export function refusedView(
  place: SummaryPlace,
  { choice, columns }: AskedSummary,
  refusal: ServiceError,
): ViewPlan {
  return { ...viewOf(place, [choiceForm(place, choice, columns, refusal.message)]), refusal };
}

/** The result of a form has no way back: it would have to run the query again. */
function viewOf(
  { title, lead, crumbs, own, again }: SummaryPlace,
  blocks: readonly PageBlock[],
): ViewPlan {
  const actions: readonly PageAction[] = again
    ? []
    : [{ label: "Back to the list", href: own, tone: "plain" }];
  const said = again ? [notice("good", "The query has been run.")] : [];
  return {
    kind: "view",
    crumbs,
    view: { title, ...defined({ lead }), actions, blocks: [...said, ...blocks] },
  };
}

/** The page of an answer. */
export function summaryView(
  plan: SummaryPlace,
  choice: ChartChoice,
  { summary, names = new Map() }: { readonly summary: Summary; readonly names?: ValueNames | undefined },
  columns: readonly AskedColumn[],
): ViewPlan {
  const chart = chartModel(choice, summary, names);
  return viewOf(plan, [
    choiceForm(plan, choice, columns),
    chart ? { kind: "chart", chart } : { kind: "text", text: "There are no values to draw." },
    ...summaryTables(plan, { summary, names, ...defined({ chart }) }),
  ]);
}
