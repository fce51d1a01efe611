/**
 * The form of a summary's page: chart, column, grouping and total.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import { optionsOf, select } from "@/core/pages/blocks.ts";
import type { ChartChoice } from "@/core/summaries/propose_chart.ts";
import type { AskedColumn } from "@/core/summaries/question.ts";
import { isComparable, isNumeric } from "@/core/summaries/ranges.ts";
import type { PageBlock, PageButton, PageForm, PageOption } from "@/plugins/contract.ts";

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
export interface FormPlace {
  /** The list without the state of the page. */
  readonly own: string;
  /** Parameters that the form sends along. */
  readonly kept: readonly (readonly [name: string, value: string])[];
  /** The form that runs the query again. Absent: the form asks for the address with the choice. */
  readonly again?: PageForm;
}

/** The form that chooses what the page shows. `problem`: why the choice has no answer. */
export function choiceForm(
  { own, kept, again }: FormPlace,
  { kind, x, y = "", by = "auto", total = "sum" }: ChartChoice,
  columns: readonly AskedColumn[],
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
