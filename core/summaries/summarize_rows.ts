/**
 * Sums up rows in memory: results of saved queries, whose text may be anything that an engine runs, and whose columns may
 * have no type. It compares by exact values; totals are exact.
 *
 * @module
 */

import type { Cell, Row, Value, ValueType } from "@/core/model.ts";
import { add, type Decimal, plainDecimal, readDecimal, writeDecimal } from "./decimals.ts";
import { MOST_FREQUENT, MOST_GROUPS, MOST_POINTS } from "./limits.ts";
import { type AskedColumn, checkQuestion, columnAt, type SummaryQuestion } from "./question.ts";
import { isComparable, isNumeric } from "./ranges.ts";
import {
  chooseGrouping,
  type Chosen,
  columnSummary,
  compareValues,
  type CountedGroup,
  periodOf,
  summaryGroups,
  summaryPoints,
} from "./summary_parts.ts";
import type { Summary, Total } from "@/plugins/contract.ts";

/** Largest number of rows that are summed up. */
export const MOST_ROWS = 100_000;

/** A column of rows that were read. */
interface Filled extends AskedColumn {
  readonly cells: readonly Value[];
}

/**
 * The answer to a question about rows; of more than {@link MOST_ROWS} the first ones. Throws 400 for a question that does
 * not fit the types of their values.
 */
export function summarizeRows(
  rows: readonly Row[],
  declared: readonly AskedColumn[],
  question: SummaryQuestion,
): Summary {
  const isCut = rows.length > MOST_ROWS;
  const used = isCut ? rows.slice(0, MOST_ROWS) : rows;
  const asked = [question.column, question.total?.column, question.points];
  const columns = declared.map(({ name, type }, at): Filled => {
    const cells = asked.includes(at) ? used.map((row) => valueOf(row[at])) : [];
    return { name, type: type === "any" ? typeOf(cells) : type, cells };
  });
  checkQuestion(question, columns);
  const { column: position, by, points } = question;
  const column = columnAt(position, columns);
  const summary = columnSummary(column, factsOf(column));
  const ends = [summary.smallest ?? null, summary.largest ?? null] as const;
  const chosen = by === undefined ? undefined : chooseGrouping(by, column, ends);
  return {
    column: isCut ? { ...summary, isCut } : summary,
    ...(chosen
      ? { groups: summaryGroups(groupsOf(chosen, question, columns), chosen, question, columns) }
      : {}),
    ...(points === undefined ? {} : {
      points: summaryPoints(
        pointsOf(column, columnAt(points, columns)),
        { column: position, points },
        columns,
      ),
    }),
  };
}

function valueOf(cell: Cell | undefined): Value {
  return cell === undefined || (typeof cell === "object" && !(cell instanceof Uint8Array)) ? null : cell;
}

/** The narrowest type of all values; `any` for a mixture. */
function typeOf(cells: readonly Value[]): ValueType {
  const types = new Set(cells.filter((cell) => cell !== null).map(typeOfValue));
  if (types.size === 1) return [...types][0] ?? "any";
  const isNumbers = types.size > 0 && [...types].every(isNumeric);
  return isNumbers ? "float" : "any";
}

function typeOfValue(value: Value): ValueType {
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "float";
  if (typeof value === "bigint") return "integer";
  if (typeof value === "boolean") return "boolean";
  if (typeof value !== "string") return "binary";
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return "date";
  return /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?Z?$/.test(value) ? "datetime" : "text";
}

function factsOf({ type, cells }: Filled): Parameters<typeof columnSummary>[1] {
  const values = cells.filter((cell) => cell !== null);
  const counted = { rows: cells.length, values: values.length };
  if (!isComparable(type)) return { ...counted, frequent: [] };
  const counts = new Map<string, { readonly value: Value; count: number }>();
  for (const value of values) {
    const identity = identityOf(value, type);
    const known = counts.get(identity);
    if (known) known.count++;
    else counts.set(identity, { value, count: 1 });
  }
  const frequent = [...counts.values()].toSorted((one, other) => {
    return other.count - one.count || compareValues(one.value, other.value);
  });
  return {
    ...counted,
    distinct: counts.size,
    ...(type === "boolean" ? {} : { ends: [endOf(values, -1), endOf(values, 1)] as const }),
    ...(isNumeric(type) ? { sum: sumOf(values) } : {}),
    frequent: frequent.slice(0, MOST_FREQUENT).map(({ value, count }) => [value, count]),
  };
}

/** Decimals are equal whatever their zeros; the number 1 and the text `1` are not. */
function identityOf(value: Value, type: ValueType): string {
  if (type === "decimal") return String(plainDecimal(value));
  return typeof value === "string" ? `'${value}` : String(value);
}

/** -1: the smallest value; 1: the largest. */
function endOf(values: readonly Value[], sign: -1 | 1): Value {
  return values.reduce<Value>((end, value) => {
    return end === null || compareNumbers(value, end) * sign > 0 ? value : end;
  }, null);
}

/** Exact decimals are text, but have the order of numbers. */
function compareNumbers(one: Value, other: Value): number {
  const [first, second] = [Number(one), Number(other)];
  const isText = typeof one === "string" && typeof other === "string";
  const areNumbers = isText && one !== "" && other !== "" && Number.isFinite(first) &&
    Number.isFinite(second);
  return areNumbers && first !== second ? first - second : compareValues(one, other);
}

/** Null without values. */
function sumOf(values: readonly Value[]): Value {
  let sum: Decimal | undefined;
  for (const value of values) {
    const exact = readDecimal(value);
    if (exact) sum = sum ? add(sum, exact) : exact;
  }
  return sum ? writeDecimal(sum) : null;
}

function groupsOf(
  chosen: Chosen,
  { column: position, total }: SummaryQuestion,
  columns: readonly Filled[],
): readonly CountedGroup[] {
  const x = columnAt(position, columns);
  const y = total && columnAt(total.column, columns);
  const groups = new Map<string, { readonly key: Value; readonly rows: number[] }>();
  for (const [row, cell] of x.cells.entries()) {
    const key = cell === null ? undefined : keyOf(cell, chosen);
    if (key === undefined) continue;
    const identity = identityOf(key, x.type);
    const known = groups.get(identity);
    if (known) known.rows.push(row);
    else groups.set(identity, { key, rows: [row] });
  }
  const ordered = [...groups.values()].toSorted((one, other) => {
    const bySize = chosen.by === "value" ? other.rows.length - one.rows.length : 0;
    return bySize || compareValues(one.key, other.key);
  });
  return ordered.slice(0, MOST_GROUPS + 1).map(({ key, rows }) => {
    if (!total || !y) return { key, count: rows.length };
    const values = rows.map((row) => y.cells[row] ?? null).filter((value) => value !== null);
    return { key, count: rows.length, values: values.length, total: totalOf(values, total.total) };
  });
}

function keyOf(value: Value, { by, edges = [] }: Chosen): Value | undefined {
  if (by === "value") return value;
  if (by !== "range") return periodOf(value, by);
  const inner = edges.slice(1, -1);
  const index = inner.findIndex((edge) => Number(value) < Number(edge));
  return index < 0 ? inner.length : index;
}

function totalOf(values: readonly Value[], total: Total): Value {
  if (total === "sum" || total === "mean") return sumOf(values);
  return endOf(values, total === "least" ? -1 : 1);
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
