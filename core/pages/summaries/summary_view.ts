/**
 * The page of a summary: its form, the chart, and the numbers as tables. Pure.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import type { ServiceError } from "@/core/errors.ts";
import { notice, optionsOf, select } from "@/core/pages/blocks.ts";
import type { ViewPlan } from "@/core/plan.ts";
import { chartModel, type ValueNames } from "@/core/summaries/chart_model.ts";
import type { ChartChoice } from "@/core/summaries/propose_chart.ts";
import type { AskedColumn } from "@/core/summaries/question.ts";
import { isComparable, isNumeric } from "@/core/summaries/ranges.ts";
import type {
  Crumb,
  PageAction,
  PageBlock,
  PageButton,
  PageForm,
  PageOption,
  Summary,
} from "@/plugins/contract.ts";
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

/** The page of a question that does not fit: its form, if there is one, has the complaint. */
export function refusedView(
  place: SummaryPlace,
  asked: AskedSummary | undefined,
  refusal: ServiceError,
): ViewPlan {
  const { message } = refusal;
  const block = asked ? choiceForm(place, asked, message) : notice("problem", message);
  return { ...viewOf(place, [block]), refusal };
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
  asked: AskedSummary,
  summary: Summary,
  names: ValueNames = new Map(),
): ViewPlan {
  const chart = chartModel(asked.choice, summary, names);
  // Not every chart can be drawn of every column: the form has the one that is.
  const choice = { ...asked.choice, ...defined({ kind: chart?.kind }) };
  return viewOf(plan, [
    choiceForm(plan, { ...asked, choice }),
    chart ? { kind: "chart", chart } : { kind: "text", text: "There are no values to draw." },
    ...summaryTables(plan, { summary, names, ...defined({ chart }) }),
  ]);
}

const KINDS: readonly PageOption[] = [
  { value: "bar", label: "Bars" },
  { value: "line", label: "Line" },
  { value: "scatter", label: "Points" },
  { value: "histogram", label: "Histogram" },
];
const GROUPINGS: readonly PageOption[] = [
  { value: "auto", label: "automatic" },
  { value: "value", label: "each value" },
  { value: "range", label: "ranges of numbers" },
  { value: "year", label: "years" },
  { value: "month", label: "months" },
  { value: "day", label: "days" },
];
const TOTALS: readonly PageOption[] = [
  { value: "sum", label: "sum" },
  { value: "mean", label: "mean" },
  { value: "least", label: "smallest" },
  { value: "greatest", label: "largest" },
];

/** The way from a chart to the rows of a query that a form runs. */
const ROWS: PageButton = { label: "Run and show the rows", name: "ui.as", value: "" };

/** Where the form leads. */
interface FormPlace {
  /** The list without the state of the page. */
  readonly own: string;
  /** Parameters that the form sends along. */
  readonly kept: readonly (readonly [name: string, value: string])[];
  /** The form that runs the query again. Absent: the form asks for the address with the choice. */
  readonly again?: PageForm;
}

/** The form that chooses what the page shows. `problem`: why the choice has no answer. */
function choiceForm(
  { own, kept, again }: FormPlace,
  { choice: { kind, x, y = "", by = "auto", total = "sum" }, columns }: AskedSummary,
  problem?: string,
): PageBlock {
  const namesOf = (fits: (type: AskedColumn["type"]) => boolean, chosen: string) =>
    columns.filter(({ name, type }) => fits(type) || name === chosen).map(({ name }) => name);
  const amounts = namesOf((type) => isNumeric(type) || type === "any", y);
  return {
    ...(again ?? {
      kind: "form",
      method: "get",
      action: own.replace(/\?.*$/s, ""),
      hidden: Object.fromEntries(kept),
    }),
    isRow: true,
    fields: [
      select("ui.chart", "Chart", kind, KINDS),
      select("ui.x", "Column", x, optionsOf(namesOf(isComparable, x))),
      // Points are not grouped, and histograms have ranges.
      {
        ...select("ui.by", "Grouped by", by, GROUPINGS),
        onlyIf: { field: "ui.chart", values: ["bar", "line"] },
      },
      select("ui.y", "Show", y, [{ value: "", label: "number of records" }, ...optionsOf(amounts)]),
      // Neither the number of records nor points have a total.
      {
        ...select("ui.total", "As", total, TOTALS),
        onlyIf: kind === "scatter"
          ? { field: "ui.chart", values: ["bar", "line", "histogram"] }
          : { field: "ui.y", values: amounts },
      },
    ],
    ...defined({ problem }),
    buttons: again ? [{ label: "Run and draw" }, ROWS] : [{ label: "Draw" }],
  };
}
