/**
 * Questions about the columns of a list: read from the names that a page has in its address, and
 * checked against the types. Pure.
 *
 * @module
 */

import type { Column } from "@/core/catalog.ts";
import { badRequest, quote } from "@/core/errors.ts";
import { columnAt } from "@/core/schema/table.ts";
import type { Grouping, Total } from "@/plugins/contract.ts";
import { isComparable, isDated, isNumeric, PERIODS } from "./ranges.ts";

/** Positions are those of the list's columns. */
export interface SummaryQuestion {
  /** The column to sum up. */
  readonly column: number;
  /** How its rows are grouped; `auto`: as fits the type and the values. Absent: no groups. */
  readonly by?: Grouping | "auto";
  /** The column whose total each group has. Absent: groups are counted. */
  readonly total?: { readonly column: number; readonly total: Total };
  /** The second column of points. Absent: no points. */
  readonly points?: number;
}

/** A column of a list, as far as questions need it. */
export type AskedColumn = Pick<Column, "name" | "type">;

/**
 * A question in names: the values of `ui.x`, `ui.y`, `ui.by` and `ui.total`,
 * and whether points are asked for.
 */
export interface NamedQuestion {
  readonly x: string;
  readonly y?: string | undefined;
  readonly by?: string | undefined;
  readonly total?: string | undefined;
  readonly isScatter?: boolean;
}

const GROUPINGS: ReadonlySet<string> = new Set<Grouping | "auto">([
  "auto",
  "value",
  "range",
  "year",
  "month",
  "day",
]);
const TOTALS: ReadonlySet<string> = new Set<Total>(["sum", "mean", "least", "greatest"]);

/** Throws 400 for an unknown column, grouping or total, and for those that do not fit the column's type. */
export function readQuestion(
  { x, y = "", by = "auto", total = "sum", isScatter }: NamedQuestion,
  columns: readonly AskedColumn[],
): SummaryQuestion {
  const column = findColumn(x, columns);
  const second = y === "" ? undefined : findColumn(y, columns);
  if (!isGrouping(by)) throw refuse(`Cannot group by ${quote(by)}`, GROUPINGS);
  if (!isTotal(total)) throw refuse(`Cannot compute ${quote(total)}`, TOTALS);
  if (isScatter) {
    if (second === undefined) throw badRequest("Cannot draw points of one column: choose a second one");
    return checkQuestion({ column, points: second }, columns);
  }
  return checkQuestion(
    { column, by, ...(second === undefined ? {} : { total: { column: second, total } }) },
    columns,
  );
}

/**
 * Returns the question. Throws 400 where it does not fit the types; `any` fits
 * everything until its values are read.
 */
export function checkQuestion(question: SummaryQuestion, columns: readonly AskedColumn[]): SummaryQuestion {
  const { column, by, total, points } = question;
  const x = columnAt({ columns }, column);
  if (by !== undefined) checkGrouping(by, x);
  if (total) requireNumber(columnAt({ columns }, total.column));
  if (points !== undefined) {
    if (!isNumeric(x.type) && !isDated(x.type) && x.type !== "any") {
      throw badRequest(
        `Cannot place points by column ${quote(x.name)}: type ${x.type} is neither number nor date`,
      );
    }
    requireNumber(columnAt({ columns }, points));
  }
  return question;
}

function checkGrouping(by: Grouping | "auto", { name, type }: AskedColumn): void {
  const fits = by === "range" ? isNumeric(type) : by in PERIODS ? isDated(type) : isComparable(type);
  if (fits || type === "any") return;
  const what = by === "auto" ? "" : ` by ${by}`;
  throw badRequest(`Cannot group column ${quote(name)}${what}: it is of type ${type}`);
}

function requireNumber({ name, type }: AskedColumn): void {
  if (isNumeric(type) || type === "any") return;
  throw badRequest(`Cannot compute with column ${quote(name)}: type ${type} has no numbers`);
}

function findColumn(name: string, columns: readonly AskedColumn[]): number {
  const position = columns.findIndex((column) => column.name === name);
  if (position >= 0) return position;
  throw badRequest(`Cannot sum up column ${quote(name)}: the list has no such column`);
}

function refuse(what: string, known: ReadonlySet<string>): Error {
  return badRequest(`${what}: use one of ${[...known].join(", ")}`);
}

function isGrouping(text: string): text is Grouping | "auto" {
  return GROUPINGS.has(text);
}

function isTotal(text: string): text is Total {
  return TOTALS.has(text);
}
