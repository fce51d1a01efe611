/**
 * Proposes a chart for the columns of a list, and completes one that is chosen in part. Pure.
 *
 * @module
 */

import type { Column } from "@/core/catalog.ts";
import { badRequest } from "@/core/errors.ts";
import type { Table } from "@/core/schema/table.ts";
import type { ChartKind, Total } from "@/plugins/contract.ts";
import type { NamedQuestion } from "./question.ts";
import { isComparable, isDated, isNumeric } from "./ranges.ts";

/** A column that a chart may be about. */
export interface ChartColumn extends Pick<Column, "name" | "type"> {
  /** It tells records apart, or leads to others: its numbers are no amounts, its texts hardly repeat. */
  readonly isIdentity: boolean;
}

/** A chart in names: the values of `ui.chart`, `ui.x`, `ui.y`, `ui.by` and `ui.total`. */
export interface ChartChoice {
  readonly kind: ChartKind;
  readonly x: string;
  /** Absent: records are counted. */
  readonly y?: string;
  readonly by?: string;
  readonly total?: string;
}

/** The values of a page's address; empty ones count as absent. */
export type AskedChart = { readonly [Name in "kind" | "x" | "y" | "by" | "total"]?: string | undefined };

const KINDS: ReadonlySet<string> = new Set<ChartKind>(["bar", "line", "scatter", "histogram"]);

/** `SailingId`, `sailing_id`, `ID`: views have no keys. */
const NUMBER_OF_RECORD = /(?:^|[^\p{L}])[iI][dD]$|\p{Ll}I[dD]$/u;

/** Whether a column without a key has numbers of records, by its name: their sum has no meaning. */
export function isNumberOfRecord({ name, type }: Pick<Column, "name" | "type">): boolean {
  return isNumeric(type) && NUMBER_OF_RECORD.test(name);
}

/** The columns of a table for {@link proposeChart}. */
export function chartColumns(
  { columns, primaryKey, uniqueKeys, toOne, label }: Table,
): readonly ChartColumn[] {
  const identities = new Set([
    ...primaryKey,
    ...label,
    ...uniqueKeys.filter((key) => key.length === 1).flat(),
    ...toOne.flatMap(({ local }) => local),
  ]);
  return columns.map(({ name, type }, position) => ({
    name,
    type,
    isIdentity: identities.has(position) || isNumberOfRecord({ name, type }),
  }));
}

/**
 * The chart that fits the columns best, with the asked parts as they are: sums over time, else the most
 * frequent values of a text, else two numbers, else one number. Rows of a result, which may be groups
 * already, are added instead of counted. Throws 400 where no column can be compared.
 */
export function proposeChart(
  columns: readonly ChartColumn[],
  asked: AskedChart,
  of: "list" | "result" = "list",
): ChartChoice {
  const amounts = columns.filter(({ type, isIdentity }) => isNumeric(type) && !isIdentity);
  const dates = columns.filter(({ type }) => isDated(type));
  const kinds = columns.filter(({ type, isIdentity }) =>
    (type === "text" || type === "boolean") && !isIdentity
  );
  const [date, text, amount, second] = [dates[0], kinds[0], amounts[0], amounts[1]];
  const rest = columns.filter(({ type }) => isComparable(type));
  const first: Readonly<Record<ChartKind, ChartColumn | undefined>> = {
    line: date ?? amount,
    bar: text ?? rest.find(({ type }) => !isNumeric(type)) ?? rest[0],
    scatter: amount ?? rest.find(({ type }) => isNumeric(type)),
    histogram: amount ?? rest.find(({ type }) => isNumeric(type)),
  };
  const x = columns.find(({ name }) => name === asked.x);
  const free = date ? "line" : text ? "bar" : second ? "scatter" : amount ? "histogram" : "bar";
  const kind = isKind(asked.kind) ? asked.kind : x ? kindFor(x, asked.y) : free;
  const name = asked.x || first[kind]?.name;
  if (name === undefined) {
    throw badRequest("Cannot sum this up: none of its columns has values that can be compared");
  }
  // Numbers of records have no ranges: 1 and 2 are as far apart as 1 and 100.
  const isIdentity = columns.some((each) => each.name === name && each.isIdentity);
  const by = asked.by || (kind === "bar" && isIdentity ? "value" : undefined);
  const y = asked.y ||
    yFor(kind, name, { amounts, isAdded: x === undefined && (kind === "line" || of === "result") });
  return {
    kind,
    x: name,
    ...(y === undefined ? {} : { y }),
    ...(by === undefined ? {} : { by }),
    ...(y === undefined ? {} : { total: asked.total || "sum" }),
  };
}

function kindFor({ type, isIdentity }: ChartColumn, y: string | undefined): ChartKind {
  if (isDated(type)) return "line";
  if (!isNumeric(type) || isIdentity) return "bar";
  return y ? "scatter" : "histogram";
}

/** A scatter chart needs a second number; other charts have a sum if the page proposes it. */
function yFor(
  kind: ChartKind,
  x: string,
  { amounts, isAdded }: { readonly amounts: readonly ChartColumn[]; readonly isAdded: boolean },
): string | undefined {
  const other = amounts.find(({ name }) => name !== x)?.name;
  if (kind === "scatter") return other ?? x;
  return isAdded && kind !== "histogram" ? other : undefined;
}

/** The question whose answer the chart shows. */
export function chartQuestion({ kind, x, y, by, total }: ChartChoice): NamedQuestion {
  if (kind === "scatter") return { x, y, isScatter: true };
  if (kind === "histogram") return { x, by: "range", ...(y === undefined ? {} : { y, total }) };
  return { x, y, by: by ?? "auto", total };
}

function isKind(text: string | undefined): text is ChartKind {
  return text !== undefined && KINDS.has(text);
}

/** The totals in words, for titles and forms. */
export const TOTAL_WORDS: { readonly [Each in Total]: string } = {
  sum: "Sum of",
  mean: "Mean of",
  least: "Smallest",
  greatest: "Largest",
};
