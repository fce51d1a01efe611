/**
 * The numbers of a summary as a table, for pages and for CSV. Pure.
 *
 * @module
 */

import type { Value } from "@/core/model.ts";
import { TOTAL_WORDS } from "./propose_chart.ts";
import type { Summary } from "@/plugins/contract.ts";

/** Rows of values under titles. */
export interface SummaryRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
}

/** The groups or points of a summary; without either, the most frequent values. */
export function summaryRows({ column: { name, frequent }, groups, points }: Summary): SummaryRows {
  if (points) return { columns: [name, points.name], rows: points.items };
  if (!groups) {
    return { columns: [name, "Records"], rows: frequent.map(({ value, count }) => [value, count]) };
  }
  const { by, items, total } = groups;
  const titles = by === "range" ? [`${name} from`, "to"] : by === "value" ? [name] : [`${name} by ${by}`];
  return {
    columns: [...titles, "Records", ...(total ? [`${TOTAL_WORDS[total.total]} ${total.name}`] : [])],
    rows: items.map(({ key, to, count, total: sum }) => {
      return [key, ...(by === "range" ? [to ?? null] : []), count, ...(total ? [sum ?? null] : [])];
    }),
  };
}
