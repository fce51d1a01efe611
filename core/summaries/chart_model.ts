/**
 * A summary as a chart: its marks, its axes, and the sentence that says what it shows. Pure.
 *
 * @module
 */

import { beginning, counted } from "@/core/base/counted.ts";
import type { Value } from "@/core/model.ts";
import type {
  ChartAxis,
  ChartItem,
  ChartKind,
  ChartModel,
  Summary,
  SummaryGroup,
  SummaryGroups,
  SummaryPoints,
} from "@/plugins/contract.ts";
import { type ChartChoice, TOTAL_WORDS } from "./propose_chart.ts";
import { isDated, PERIODS } from "./ranges.ts";
import { compareValues, MOST_GROUPS } from "./summary_parts.ts";

/** Largest number of bars. */
const MOST_BARS = 30;

/** Names for people by the texts of values: labels of the records that a foreign key leads to. */
export type ValueNames = ReadonlyMap<string, string>;

/** The chart of an answer; undefined if it has nothing to draw. */
export function chartModel(
  { kind }: Pick<ChartChoice, "kind">,
  summary: Summary,
  names: ValueNames,
): ChartModel | undefined {
  const { points } = summary;
  const groups = summary.groups && named(summary.groups, names);
  const chart = points ? scatter(summary, points) : groups ? grouped(kind, summary, groups) : undefined;
  return chart && chart.items.length > 0 ? chart : undefined;
}

function named(groups: SummaryGroups, names: ValueNames): SummaryGroups {
  if (groups.by !== "value") return groups;
  return {
    ...groups,
    items: groups.items.map((item) => ({ ...item, key: names.get(String(item.key)) ?? item.key })),
  };
}

function scatter(
  { column: { name, type } }: Summary,
  { name: second, items, isCut }: SummaryPoints,
): ChartModel {
  const isTime = isDated(type);
  const marks = items.map(([x, y]) => ({ x: isTime ? String(x) : Number(x), y: Number(y) })).filter(isDrawn);
  const many = isCut ? `the first ${counted(marks.length, "record")}` : counted(marks.length, "record");
  return {
    kind: "scatter",
    sentence: `${second} against ${name} of ${many}.`,
    x: { title: name, scale: isTime ? "time" : "number" },
    y: { title: second, scale: "number" },
    items: marks,
  };
}

function grouped(wanted: ChartKind, summary: Summary, groups: SummaryGroups): ChartModel {
  const { by, items, total } = groups;
  const kind = kindOf(wanted, summary, groups);
  const measured = total ? `${TOTAL_WORDS[total.total]} ${total.name}` : "Number of records";
  const ordered = by !== "value" ? items : kind === "line" ? byKey(items) : inOrder(groups);
  const shown = kind === "bar" ? ordered.slice(0, MOST_BARS) : ordered;
  const drawn = shown.flatMap((group) => markOf(kind, groups, group));
  const isAdded = total === undefined || total.total === "sum";
  const marks = kind === "line" && by in PERIODS && isAdded ? withZeros(drawn) : drawn;
  return {
    kind,
    sentence: sentenceOf(kind, summary, groups, { measured, marks }),
    x: { title: titleOf(summary, by), scale: scaleOf(kind, by) },
    y: { title: measured, scale: "number" },
    items: marks,
  };
}

/** Values have no widths, and texts other than periods no order: such a chart has bars. */
function kindOf(wanted: ChartKind, { column: { type } }: Summary, { by, items }: SummaryGroups): ChartKind {
  if (wanted === "histogram") return by === "range" ? "histogram" : "bar";
  if (wanted === "line" && by === "value" && !isDated(type) && !arePeriods(items)) return "bar";
  return wanted === "scatter" ? "bar" : wanted;
}

function scaleOf(kind: ChartKind, by: SummaryGroups["by"]): ChartAxis["scale"] {
  if (kind === "bar") return "text";
  return by === "range" ? "number" : "time";
}

function titleOf({ column: { name } }: Summary, by: SummaryGroups["by"]): string {
  return by === "value" || by === "range" ? name : `${name} by ${by}`;
}

/** A year or a month, as which queries often group. */
const PERIOD = /^(?:19|20)\d\d(?:-(?:0[1-9]|1[0-2]))?$/;

function arePeriods(items: readonly SummaryGroup[]): boolean {
  return items.every(({ key }) => PERIOD.test(String(key)));
}

function byKey(items: readonly SummaryGroup[]): readonly SummaryGroup[] {
  return items.toSorted((one, other) => compareValues(one.key, other.key, "text"));
}

/** Groups of values: periods as they follow one another, others by their totals or counts. */
export function inOrder({ items, total }: SummaryGroups): readonly SummaryGroup[] {
  if (arePeriods(items)) return byKey(items);
  if (!total) return items;
  // Groups of equal totals stay in the order of their counts and keys.
  return items.toSorted((one, other) => {
    return Number(other.total ?? -Infinity) - Number(one.total ?? -Infinity) || 0;
  });
}

function markOf(kind: ChartKind, { total }: SummaryGroups, group: SummaryGroup): readonly ChartItem[] {
  if (total && group.total === null) return [];
  const y = total ? Number(group.total) : group.count;
  const isNumber = kind === "histogram" || (kind === "line" && group.to !== undefined);
  const x = isNumber ? Number(group.key) : groupLabel(group);
  const mark = { x, ...(kind === "histogram" ? { to: Number(group.to) } : {}), y };
  return isDrawn(mark) ? [mark] : [];
}

/**
 * Periods without records between others: nothing was counted or added in them, and a line would hide that.
 */
function withZeros(marks: readonly ChartItem[]): readonly ChartItem[] {
  const [first, last] = [String(marks[0]?.x ?? ""), String(marks.at(-1)?.x ?? "")];
  const known = new Map(marks.map((mark) => [mark.x, mark]));
  const all: ChartItem[] = [];
  for (let period: string | undefined = first; period !== last; period = nextPeriod(period)) {
    if (period === undefined || all.length >= MOST_GROUPS) return marks;
    all.push(known.get(period) ?? { x: period, y: 0 });
  }
  return [...all, ...marks.slice(-1)];
}

/**
 * `2010` after `2009`, `2010-01` after `2009-12`. Undefined after what is in no calendar: SQLite and MySQL
 * keep `2009-00-00`.
 */
function nextPeriod(period: string): string | undefined {
  const time = new Date(`${period}${"-01-01".slice(period.length - 4)}T00:00:00Z`);
  if (Number.isNaN(time.getTime())) return undefined;
  if (period.length === PERIODS.year) time.setUTCFullYear(time.getUTCFullYear() + 1);
  else if (period.length === PERIODS.month) time.setUTCMonth(time.getUTCMonth() + 1);
  else time.setUTCDate(time.getUTCDate() + 1);
  return time.toISOString().slice(0, period.length);
}

function isDrawn({ x, y }: ChartItem): boolean {
  return Number.isFinite(y) && (typeof x === "string" || Number.isFinite(x));
}

/** The name of a group for people: `0 to 5` for ranges. */
export function groupLabel({ key, to }: Pick<SummaryGroup, "key" | "to">): string {
  return to === undefined ? valueLabel(key) : `${String(key)} to ${to}`;
}

/** A value for people: `(empty)` or `(3 blanks)` for a text that shows nothing, because links have names. */
export function valueLabel(value: Value): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  const text = String(value);
  if (text === "") return "(empty)";
  return text.trim() === "" ? `(${counted(text.length, "blank")})` : text;
}

function sentenceOf(
  kind: ChartKind,
  { column }: Summary,
  { by, items, isCut }: SummaryGroups,
  { measured, marks }: { readonly measured: string; readonly marks: readonly ChartItem[] },
): string {
  const what = by === "value"
    ? column.name
    : by === "range"
    ? `range of ${column.name}`
    : `${by} of ${column.name}`;
  const [first] = marks;
  if (!first) return `${measured} by ${what}: there is nothing to show.`;
  const highest = marks.reduce((best, mark) => mark.y > best.y ? mark : best, first);
  const isFlat = marks.every(({ y }) => y === first.y);
  const most = isFlat
    ? ` with ${number(first.y)}${marks.length > 1 ? " each" : ""}`
    : `; highest is ${wordsOf(highest)} with ${number(highest.y)}`;
  const last = marks.at(-1) ?? first;
  const extent = kind === "bar"
    ? shownOf(marks.length, items.length, isCut)
    : `from ${edge(first)} to ${edge(last, true)}`;
  const left = column.nulls === 0
    ? ""
    : ` ${counted(column.nulls, "record")} without ${column.name} left out.`;
  const cut = column.isCut ? ` Only the first ${counted(column.rows, "record")} of the result.` : "";
  return `${measured} by ${what}, ${extent}${most}.${left}${cut}`;
}

function shownOf(shown: number, all: number, isCut: boolean): string {
  if (shown >= all && !isCut) return counted(shown, "group");
  return `the first ${number(shown)} of ${isCut ? "more than " : ""}${counted(all, "group")}`;
}

function wordsOf({ x, to }: ChartItem): string {
  if (to !== undefined) return `${number(Number(x))} to ${number(to)}`;
  return beginning(String(x), 100);
}

function edge({ x, to }: ChartItem, isEnd = false): string {
  return typeof x === "string" ? x : number(isEnd ? to ?? x : x);
}

function number(value: number): string {
  return value.toLocaleString("en", {
    maximumFractionDigits: 6,
    maximumSignificantDigits: 6,
    roundingPriority: "morePrecision",
  });
}
