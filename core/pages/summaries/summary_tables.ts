/**
 * The numbers of a summary: facts about the column, its most frequent values, and the chart as a table.
 * Values and groups lead to the list of their records.
 *
 * @module
 */

import { beginning } from "@/core/base/counted.ts";
import { section, table } from "@/core/pages/blocks.ts";
import { spaced } from "@/core/pages/value_text.ts";
import { groupLabel, inOrder, valueLabel, type ValueNames } from "@/core/summaries/chart_model.ts";
import {
  type FilterLink,
  type GroupFilter,
  groupFilter,
  valueFilter,
} from "@/core/summaries/group_filter.ts";
import { isNumberOfRecord, TOTAL_WORDS } from "@/core/summaries/propose_chart.ts";
import type {
  ChartModel,
  PageBlock,
  PageTable,
  PageText,
  Summary,
  SummaryGroup,
  Value,
} from "@/plugins/contract.ts";

/** Where lists with a filter are. */
export interface ListPlace {
  /** Absent: values are no links. */
  readonly filtered?: FilterLink;
  /** The most decimals of a second that the engine holds. Absent: the most of any engine. */
  readonly secondDecimals?: number;
}

/** An answer with the names of its values, and its chart. */
interface Answer {
  readonly summary: Summary;
  readonly names: ValueNames;
  /** Absent: there is nothing to draw. */
  readonly chart?: ChartModel;
}

/** Everything below the chart. */
export function summaryTables(place: ListPlace, answer: Answer): readonly PageBlock[] {
  const { column } = answer.summary;
  const frequent = frequentTable(place, answer);
  const drawn = chartTable(place, answer);
  return [
    ...(drawn ? [{ ...section("groups", "The chart as a table", drawn), folded: true }] : []),
    section("facts", column.name, { kind: "facts", items: factsOf(place, answer) }),
    ...(saysNothing(column) ? [] : [section("frequent", "Most frequent", frequent)]),
  ];
}

/** Whether there are no frequent values, or each occurs once and there are more than these. */
function saysNothing({ frequent, distinct = Infinity }: Summary["column"]): boolean {
  return frequent.length === 0 || frequent.length < distinct && frequent.every(({ count }) => count === 1);
}

function factsOf(
  place: ListPlace,
  { summary: { column }, names }: Answer,
): readonly { readonly label: string; readonly value: PageText }[] {
  const { rows, isCut, nulls, distinct, smallest, largest, sum, mean } = column;
  // The sum of numbers of records means nothing.
  const isAmount = names.size === 0 && !isNumberOfRecord(column);
  const items: readonly (readonly [label: string, value: PageText | undefined])[] = [
    ["Records", `${rows.toLocaleString("en")}${isCut ? ", the first of more" : ""}`],
    ["Different values", distinct?.toLocaleString("en")],
    [
      "NULL",
      linked(nulls.toLocaleString("en"), nulls === 0 ? undefined : valueFilter(null), column.name, place),
    ],
    ["Smallest", named(smallest, column, names)],
    ["Largest", named(largest, column, names)],
    ["Sum", isAmount && sum !== undefined ? grouped(textOf(sum)) : undefined],
    ["Mean", isAmount && mean !== undefined ? grouped(textOf(mean)) : undefined],
  ];
  return items.flatMap(([label, value]) => value === undefined ? [] : [{ label, value }]);
}

/** The label of the record behind a foreign key, else the value as lists show it. */
export function named(
  value: Value | undefined,
  { type }: Pick<Summary["column"], "type">,
  names: ValueNames,
): string | undefined {
  if (value === undefined) return undefined;
  return spaced(names.get(String(value)) ?? textOf(value), type);
}

function textOf(value: Value): string {
  return value === null ? "NULL" : beginning(valueLabel(value));
}

/** `1234567.5` as `1,234,567.5`; other texts stay. */
function grouped(text: string): string {
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) return text;
  return text.replace(/^-?\d+/, (whole) => whole.replace(/\d(?=(?:\d{3})+$)/g, "$&,"));
}

/** A text that leads to its records, if there is a filter that finds them. */
function linked(
  text: string,
  filter: GroupFilter | undefined,
  column: string,
  { filtered }: ListPlace,
): PageText {
  const href = filter && filtered?.(column, filter);
  return href === undefined ? text : { text, href };
}

const RECORDS = { label: "Records", isNumber: true };

function frequentTable(place: ListPlace, { summary: { column }, names }: Answer): PageTable {
  const rows = column.frequent.map(({ value, count }) => [
    linked(named(value, column, names) ?? "", valueFilter(value), column.name, place),
    count.toLocaleString("en"),
  ]);
  return table(`Most frequent values of ${column.name}`, ["Value", RECORDS], rows);
}

function labelOf(group: SummaryGroup, names: ValueNames): string {
  return names.get(String(group.key)) ?? groupLabel(group);
}

/** Undefined if there are no groups, or the most frequent values say the same. */
function chartTable(place: ListPlace, { summary, names, chart }: Answer): PageTable | undefined {
  const { groups, points, column } = summary;
  if (points && chart) {
    const columns = [chart.x, chart.y].map(({ title }) => ({ label: title, isNumber: true }));
    return table(chart.sentence, columns, points.items.map((values) => values.map(textOf)));
  }
  if (!groups || groups.items.length === 0) return undefined;
  const { by, items, total } = groups;
  if (by === "value" && !total && items.length <= column.frequent.length) return undefined;
  const shown = by === "value" ? inOrder(groups) : items;
  const columns = [
    column.name,
    RECORDS,
    ...(total ? [{ label: `${TOTAL_WORDS[total.total]} ${total.name}`, isNumber: true }] : []),
  ];
  const rows = shown.map((group) => {
    const filter = groupFilter(group, by, column.type, place.secondDecimals);
    return [
      linked(labelOf(group, names), filter, column.name, place),
      group.count.toLocaleString("en"),
      ...(total ? [group.total === null || group.total === undefined ? "NULL" : grouped(group.total)] : []),
    ];
  });
  return table(`Records by ${column.name}`, columns, rows);
}
