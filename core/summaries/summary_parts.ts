/**
 * The parts of a summary from counted and added values, wherever these were counted: in
 * the database, or in memory. Pure.
 *
 * @module
 */

import type { Cell, Value, ValueType } from "@/core/model.ts";
import { columnAt } from "@/core/schema/table.ts";
import type {
  ColumnSummary,
  Grouping,
  SummaryGroup,
  SummaryGroups,
  SummaryPoints,
  Total,
} from "@/plugins/contract.ts";
import { meanText, plainDecimal, sumText } from "./decimals.ts";
import { type AskedColumn, type SummaryQuestion } from "./question.ts";
import { groupingFor, niceEdges, PERIODS } from "./ranges.ts";

/** Largest number of groups. */
export const MOST_GROUPS = 1000;
/** Largest number of points: with their numbers as a table they fit on a page of 40 KB, compressed. */
export const MOST_POINTS = 900;
/** Number of the most frequent values that a column's summary has. */
export const MOST_FREQUENT = 20;
/** The answer to a request whose summary takes too long. */
export const TOO_LONG = "The summary takes too long: narrow the list with filters";

/** A column as it was counted. */
export interface ColumnFacts {
  readonly rows: number;
  /** Number of rows without NULL. */
  readonly values: number;
  readonly distinct?: number;
  /** Absent: the type has none. NULL: there is no value. */
  readonly ends?: readonly [smallest: Value, largest: Value];
  readonly sum?: Value;
  readonly frequent: readonly (readonly [value: Value, count: number])[];
}

/** The value in a cell. No row that is summed up has expanded cells. */
export function valueOf(cell: Cell | undefined): Value {
  return cell === undefined || (typeof cell === "object" && !(cell instanceof Uint8Array)) ? null : cell;
}

/** The summary of a column. */
export function columnSummary({ name, type }: AskedColumn, facts: ColumnFacts): ColumnSummary {
  const { rows, values, distinct, ends: [smallest = null, largest = null] = [], sum = null, frequent } =
    facts;
  const isFloat = type === "float";
  const total = sum === null || values === 0 ? undefined : sumText(sum, isFloat);
  return {
    name,
    type,
    rows,
    nulls: rows - values,
    ...(distinct === undefined ? {} : { distinct }),
    ...(smallest === null ? {} : { smallest: shownValue(smallest, type) }),
    ...(largest === null ? {} : { largest: shownValue(largest, type) }),
    ...(total === undefined ? {} : { sum: total, mean: meanText(total, values, isFloat) }),
    frequent: frequentValues({ name, type }, frequent),
  };
}

/** The most frequent values, those of equal frequency in their order. */
export function frequentValues(
  { type }: AskedColumn,
  frequent: ColumnFacts["frequent"],
): ColumnSummary["frequent"] {
  return sorted(
    frequent.map(([value, count]) => ({ value: shownValue(value, type), count })),
    type,
    ({ value }) => value,
  );
}

function shownValue(value: Value, type: AskedColumn["type"]): Value {
  return type === "decimal" ? plainDecimal(value) : value;
}

/** The chosen grouping; ranges have their edges, from the start of the first to the end of the last. */
export interface Chosen {
  readonly by: Grouping;
  readonly edges?: readonly string[];
}

/**
 * Chooses the grouping of a column with these ends. Ranges of values that are
 * no numbers are grouped by value.
 */
export function chooseGrouping(
  by: Grouping | "auto",
  { type }: AskedColumn,
  [smallest, largest]: readonly [Value, Value],
): Chosen {
  const wanted = by === "auto" ? groupingFor(type, smallest, largest) : by;
  if (wanted !== "range") return { by: wanted };
  const edges = niceEdges(smallest, largest, type === "integer");
  return edges ? { by: "range", edges } : { by: "value" };
}

/** A group as it was counted. Its key is a value, a period or the number of a range. */
export interface CountedGroup {
  readonly key: Value;
  readonly count: number;
  /** Number of values of the column with the total. */
  readonly values?: number;
  /** The sum for a mean. */
  readonly total?: Value;
}

/** The groups in their order: at most {@link MOST_GROUPS}; one more says that there are more. */
export function summaryGroups(
  counted: readonly CountedGroup[],
  { by, edges }: Chosen,
  { column, total }: SummaryQuestion,
  columns: readonly AskedColumn[],
): SummaryGroups {
  const x = columnAt({ columns }, column);
  const y = total && { ...total, ...columnAt({ columns }, total.column) };
  const items = counted.slice(0, MOST_GROUPS).map(({ key, count, ...rest }): SummaryGroup => ({
    key: by === "value" && x.type === "decimal" ? plainDecimal(key) : key,
    count,
    ...(y ? { total: totalText(rest, y) } : {}),
  }));
  return {
    by,
    items: edges
      ? inRanges(items, edges, y !== undefined)
      : by === "value"
      ? sorted(items, x.type, ({ key }) => key)
      : items,
    isCut: counted.length > MOST_GROUPS,
    ...(y ? { total: { name: y.name, total: y.total } } : {}),
  };
}

function totalText(
  { values = 0, total = null }: Omit<CountedGroup, "key" | "count">,
  { type, total: asked }: { readonly type: AskedColumn["type"]; readonly total: Total },
): string | null {
  if (total === null || values === 0) return null;
  const text = sumText(total, type === "float");
  return asked === "mean" ? meanText(text, values, type === "float") : text;
}

/** Every range, also those without rows. */
function inRanges(
  items: readonly SummaryGroup[],
  edges: readonly string[],
  hasTotal: boolean,
): readonly SummaryGroup[] {
  const found = new Map(items.map((item) => [Number(item.key), item]));
  return edges.slice(0, -1).map((key, index) => ({
    count: 0,
    ...(hasTotal ? { total: null } : {}),
    ...found.get(index),
    key,
    to: edges[index + 1] ?? key,
  }));
}

/** The most frequent first, equally frequent texts by their characters: engines order text differently. */
function sorted<Item extends { readonly count: number }>(
  items: readonly Item[],
  type: ValueType,
  valueOf: (item: Item) => Value,
): readonly Item[] {
  return items.toSorted((one, other) => {
    return other.count - one.count || compareValues(valueOf(one), valueOf(other), type);
  });
}

/** Numbers by size, also decimals, which are text; everything else by its text. */
export function compareValues(one: Value, other: Value, type: ValueType): number {
  if (isNumber(one) && isNumber(other)) return one < other ? -1 : one > other ? 1 : 0;
  const [first, second] = [String(one), String(other)];
  // NaN for text that is no number, which SQLite keeps in any column.
  const bySize = type === "decimal" ? Number(first) - Number(second) : 0;
  return bySize || (first < second ? -1 : first > second ? 1 : 0);
}

function isNumber(value: Value): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** At most {@link MOST_POINTS} points; one more says that there are more. */
export function summaryPoints(
  rows: readonly (readonly [x: Value, y: Value])[],
  x: AskedColumn,
  y: AskedColumn,
): SummaryPoints {
  return {
    name: y.name,
    items: rows.slice(0, MOST_POINTS).map((row) => [shownValue(row[0], x.type), shownValue(row[1], y.type)]),
    isCut: rows.length > MOST_POINTS,
  };
}

/** The period of a date: its first characters. Undefined for a text that does not begin with a date. */
export function periodOf(value: Value, by: keyof typeof PERIODS): string | undefined {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d/.test(value) || value.startsWith("0000")) {
    return undefined;
  }
  return value.slice(0, PERIODS[by]);
}
