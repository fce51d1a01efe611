/**
 * Stage 4 of the page of a summary: answers its question.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import type { ViewPlan } from "@/core/plan.ts";
import { executeSummary } from "@/core/summaries/execute_summary.ts";
import { chartQuestion, isNumberOfRecord, proposeChart } from "@/core/summaries/propose_chart.ts";
import { readQuestion } from "@/core/summaries/question.ts";
import { summarizeQuery, summarizeRun } from "@/core/summaries/summarize_query.ts";
import type { SummaryPagePlan } from "./plan_summary_page.ts";
import { type AskedSummary, refusedView, summaryView } from "./summary_view.ts";

/**
 * Answers the question of the page. A question that does not fit the values has the page with its form. A
 * result without a column to sum up has none; what its run has changed is stored, so that is no refusal.
 */
export async function showSummary(plan: SummaryPagePlan, exchange: Exchange): Promise<ViewPlan> {
  const { of } = plan;
  let asked: AskedSummary | undefined = "list" in of ? of : undefined;
  let hasRun = false;
  try {
    if ("list" in of) {
      const summary = await executeSummary(of.list, exchange);
      return summaryView(plan, of, summary, await of.names?.(summary, exchange));
    }
    const isRun = of.query.asks === "run";
    const summary = await (isRun ? summarizeRun : summarizeQuery)(of.query, (columns) => {
      hasRun = isRun;
      const known = columns.map((column) => ({ ...column, isIdentity: isNumberOfRecord(column) }));
      const choice = proposeChart(known, of.asked, "result");
      asked = { choice, columns };
      return readQuestion(chartQuestion(choice), columns);
    }, exchange);
    if (!asked) throw new ServiceError("internal", "The question of a summary was not asked");
    return summaryView(plan, asked, summary);
  } catch (error) {
    // The values of columns without a type say whether one can compute with them.
    const isUnfit = error instanceof ServiceError && error.status === 400 && (asked !== undefined || hasRun);
    if (!isUnfit) throw error;
    const { refusal, ...view } = refusedView(plan, asked, error);
    return "query" in of && of.query.effect ? view : { ...view, ...defined({ refusal }) };
  }
}
