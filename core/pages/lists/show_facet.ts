/**
 * Stage 4 of a list with a facet: one statement for the facet, one for its names, then the list.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import { ServiceError } from "@/core/errors.ts";
import { named } from "@/core/pages/summaries/summary_tables.ts";
import { readFrequent } from "@/core/summaries/execute_summary.ts";
import { valueFilter } from "@/core/summaries/group_filter.ts";
import { executeRead, type ShownRows } from "@/core/tables/execute_read.ts";
import type { PageFacet, StreamOptions } from "@/plugins/contract.ts";
import type { FacetPlan } from "./plan_facet.ts";

/** Milliseconds that the list waits for its facet. */
const PATIENCE = 1000;

/** The list with its facet, which says so if counting takes too long. */
export async function showFacet(plan: FacetPlan, options: StreamOptions): Promise<ShownRows> {
  // Before the list, which may be a stream that a failure would leave open.
  const facet = { ...await readFacet(plan, options), close: plan.places.close };
  const answer = await executeRead(plan.list, options);
  const { shown } = answer;
  return shown?.list ? { ...answer, shown: { ...shown, list: { ...shown.list, facet } } } : answer;
}

async function readFacet(
  { asked, names: readNames, places }: FacetPlan,
  options: StreamOptions,
): Promise<Omit<PageFacet, "close">> {
  const { signal, requestId, turn } = options;
  const { question, source: { walk } } = asked;
  const { name = "", type = "any" } = walk.last.table.columns[question.column] ?? {};
  try {
    const frequent = await readFrequent(asked, { signal, requestId, turn, milliseconds: PATIENCE });
    const names = await readNames?.({ column: { frequent } }, options) ?? new Map();
    const values = frequent.map(({ value, count }) => {
      const filter = valueFilter(value);
      const label = named(value, { type }, names) ?? "";
      return { label, count, ...defined({ href: filter && places.filtered(name, filter) }) };
    });
    return { column: name, values };
  } catch (error) {
    if (error instanceof ServiceError && error.code === "timeout") return { column: name };
    throw error;
  }
}
