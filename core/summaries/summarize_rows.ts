/**
 * Sums up rows in memory: results of saved queries, whose text may be anything that an engine runs, and
 * whose columns may have no type. It compares by exact values; totals are exact. Works in steps, so
 * that other requests get their turns.
 *
 * @module
 */

import type { Cell, Row, Value, ValueType } from "@/core/model.ts";
import { columnAt } from "@/core/schema/table.ts";
import type { Summary, Total } from "@/plugins/contract.ts";
import { add, type Decimal, plainDecimal, readDecimal, writeDecimal } from "./decimals.ts";
import { type AskedColumn, checkQuestion, type SummaryQuestion } from "./question.ts";
import { isComparable, isNumeric } from "./ranges.ts";
import {
  chooseGrouping,
  type Chosen,
  type ColumnFacts,
  columnSummary,
  compareValues,
  type CountedGroup,
  MOST_FREQUENT,
  MOST_GROUPS,
  MOST_POINTS,
  periodOf,
  summaryGroups,
  summaryPoints,
  valueOf,
} from "./summary_parts.ts";

/** Largest number of rows that are summed up. */
export const MOST_ROWS = 100_000;
/** Number of rows of a step: less than a millisecond. */
const STEP = 500;

/** A value in the making, step by step. */
type Steps<T> = Generator<undefined, T, void>;

/** A column of rows that were read. */
interface Filled extends AskedColumn {
  readonly cells: readonly Value[];
}

/**
 * The answer to a question about rows; of more than {@link MOST_ROWS} the first ones. Throws 400 for a
 * question that does not fit the types of their values.
 */
export function* summarizeRows(
  rows: readonly Row[],
  declared: readonly AskedColumn[],
  question: SummaryQuestion,
): Steps<Summary> {
  const isCut = rows.length > MOST_ROWS;
  const used = isCut ? rows.slice(0, MOST_ROWS) : rows;
  const { column: position, by, points, total } = question;
  const columns: Filled[] = [];
  for (const [at, { name, type }] of declared.entries()) {
    const isAsked = at === position || at === points || at === total?.column;
    const cells = isAsked ? used.map((row) => valueOf(row[at])) : [];
    columns.push({ name, type: type === "any" ? yield* typeInSteps(cells) : type, cells });
  }
  checkQuestion(question, columns);
  const column = columnAt({ columns }, position);
  const second = points === undefined ? undefined : columnAt({ columns }, points);
  const summary = columnSummary(column, yield* factsOf(column));
  const ends = [summary.smallest ?? null, summary.largest ?? null] as const;
  const chosen = by === undefined ? undefined : chooseGrouping(by, column, ends);
  const groups = chosen &&
    summaryGroups(yield* groupsOf(chosen, question, columns), chosen, question, columns);
  return {
    column: isCut ? { ...summary, isCut } : summary,
    ...(groups ? { groups } : {}),
    ...(second ? { points: summaryPoints(pointsOf(column, second), column, second) } : {}),
  };
}

function* each<T>(items: Iterable<T>, work: (item: T, index: number) => void): Steps<void> {
  let index = 0;
  for (const item of items) {
    work(item, index++);
    if (index % STEP === 0) yield;
  }
}

/** The first items of an order, without sorting all of them at once. */
function* firstOf<T>(
  items: Iterable<T>,
  most: number,
  compare: (one: T, other: T) => number,
): Steps<readonly T[]> {
  let kept: T[] = [];
  yield* each(items, (item) => {
    kept.push(item);
    if (kept.length >= most * 3) kept = kept.toSorted(compare).slice(0, most);
  });
  return kept.toSorted(compare).slice(0, most);
}

/** The narrowest type of all values; `any` for a mixture. */
function* typeInSteps(cells: readonly Value[]): Steps<ValueType> {
  const types = new Set<ValueType>();
  yield* each(cells, (cell) => {
    if (cell !== null) types.add(typeOfValue(cell));
  });
  return narrowest(types);
}

/** {@link typeInSteps} at once, for few values. */
export function typeOf(cells: readonly (Cell | undefined)[]): ValueType {
  const values = cells.map(valueOf);
  return narrowest(new Set(values.flatMap((value) => value === null ? [] : [typeOfValue(value)])));
}

function narrowest(types: ReadonlySet<ValueType>): ValueType {
  if (types.size === 1) return [...types][0] ?? "any";
  return types.size > 0 && [...types].every(isNumeric) ? "float" : "any";
}

function typeOfValue(value: Value): ValueType {
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "float";
  if (typeof value === "bigint") return "integer";
  if (typeof value === "boolean") return "boolean";
  if (typeof value !== "string") return "binary";
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return "date";
  return /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?Z?$/.test(value) ? "datetime" : "text";
}

/** Values that are counted together, and their total. */
class ValueGroup {
  count = 0;
  values = 0;
  readonly key: Value;
  readonly #total: Total | undefined;
  readonly #type: ValueType;
  #sum: Decimal | undefined;
  #end: Value = null;

  /** `type`: of the values that are totalled. */
  constructor(key: Value, total: Total | undefined, type: ValueType) {
    this.key = key;
    this.#total = total;
    this.#type = type;
  }

  add(value: Value): void {
    this.count++;
    if (value === null) return;
    this.values++;
    if (this.#total === "sum" || this.#total === "mean") {
      const exact = readDecimal(value);
      if (exact) this.#sum = this.#sum ? add(this.#sum, exact) : exact;
    } else if (this.#total) {
      const sign = this.#total === "least" ? -1 : 1;
      if (this.#end === null || compareValues(value, this.#end, this.#type) * sign > 0) this.#end = value;
    }
  }

  /** What makes a group large: its total, else its number of rows. */
  get size(): number {
    const { total } = this;
    if (this.#total === undefined) return this.count;
    if (total === null) return -Infinity;
    return Number(total) / (this.#total === "mean" ? this.values : 1);
  }

  /** Null without values. */
  get total(): Value {
    return this.#sum ? writeDecimal(this.#sum) : this.#end;
  }
}

function* factsOf({ type, cells }: Filled): Steps<ColumnFacts> {
  const counts = new Map<string, ValueGroup>();
  const [sum, least, greatest] = (["sum", "least", "greatest"] as const).map((total) =>
    new ValueGroup(null, total, type)
  );
  const isCompared = isComparable(type);
  let values = 0;
  yield* each(cells, (value) => {
    if (value === null) return;
    values++;
    if (!isCompared) return;
    groupOf(counts, value, type).add(value);
    if (isNumeric(type)) sum?.add(value);
    least?.add(value);
    greatest?.add(value);
  });
  const counted = { rows: cells.length, values };
  if (!isCompared) return { ...counted, frequent: [] };
  const frequent = yield* firstOf(counts.values(), MOST_FREQUENT, (one, other) => {
    return other.count - one.count || compareValues(one.key, other.key, type);
  });
  return {
    ...counted,
    distinct: counts.size,
    ...(type === "boolean" ? {} : { ends: [least?.total ?? null, greatest?.total ?? null] as const }),
    ...(isNumeric(type) ? { sum: sum?.total ?? null } : {}),
    frequent: frequent.map(({ key, count }) => [key, count]),
  };
}

function groupOf(
  groups: Map<string, ValueGroup>,
  key: Value,
  type: ValueType,
  total?: { readonly by: Total; readonly type: ValueType },
): ValueGroup {
  const identity = identityOf(key, type);
  const known = groups.get(identity);
  if (known) return known;
  const group = new ValueGroup(key, total?.by, total?.type ?? type);
  groups.set(identity, group);
  return group;
}

/** Decimals are equal whatever their zeros; the number 1 and the text `1` are not. */
function identityOf(value: Value, type: ValueType): string {
  if (type === "decimal") return String(plainDecimal(value));
  return typeof value === "string" ? `'${value}` : String(value);
}

function* groupsOf(
  chosen: Chosen,
  { column: position, total }: SummaryQuestion,
  columns: readonly Filled[],
): Steps<readonly CountedGroup[]> {
  const x = columnAt({ columns }, position);
  const y = total && columnAt({ columns }, total.column);
  const totalled = total && y && { by: total.total, type: y.type };
  const edges = chosen.edges?.slice(1, -1).map(Number) ?? [];
  const groups = new Map<string, ValueGroup>();
  yield* each(x.cells, (cell, row) => {
    const key = cell === null ? undefined : keyOf(cell, chosen.by, edges);
    if (key !== undefined) groupOf(groups, key, x.type, totalled).add(y?.cells[row] ?? null);
  });
  const ordered = yield* firstOf(groups.values(), MOST_GROUPS + 1, (one, other) => {
    const bySize = chosen.by === "value" ? other.size - one.size : 0;
    return bySize || compareValues(one.key, other.key, x.type);
  });
  return ordered.map(({ key, count, values, total: totalled }) => {
    return total ? { key, count, values, total: totalled } : { key, count };
  });
}

function keyOf(value: Value, by: Chosen["by"], edges: readonly number[]): Value | undefined {
  if (by === "value") return value;
  if (by !== "range") return periodOf(value, by);
  const number = Number(value);
  const index = edges.findIndex((edge) => number < edge);
  return index < 0 ? edges.length : index;
}

function pointsOf(x: Filled, y: Filled): readonly (readonly [Value, Value])[] {
  const points: [Value, Value][] = [];
  for (const [row, first] of x.cells.entries()) {
    const second = y.cells[row] ?? null;
    if (first !== null && second !== null) points.push([first, second]);
    if (points.length > MOST_POINTS) break;
  }
  return points;
}
