/**
 * The most frequent values of a column beside its list, each a link that filters it: `?ui.facet={column}`.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import { type NameReader, planNames } from "@/core/pages/summaries/value_names.ts";
import type { Walk } from "@/core/schema/walk_path.ts";
import type { FilterLink } from "@/core/summaries/group_filter.ts";
import { planSummary, type SummaryPlan } from "@/core/summaries/plan_summary.ts";
import { readQuestion } from "@/core/summaries/question.ts";
import type { DataRequest } from "@/core/tables/compile_read.ts";

/** The values beside a list. */
export interface FacetPlan extends FacetPlaces {
  readonly asked: SummaryPlan;
  /** Absent: the values are their own names. */
  readonly names?: NameReader;
}

/** Where the links of a facet lead. */
interface FacetPlaces {
  /** The list without the facet. */
  readonly close: string;
  readonly filtered: FilterLink;
}

/** Throws 400 for a column that the list does not have or whose values cannot be compared. */
export function planFacet(
  column: string,
  walk: Walk,
  input: DataRequest,
  places: FacetPlaces,
): FacetPlan {
  const asked = planSummary(input, readQuestion({ x: column, by: "value" }, walk.last.table.columns), walk);
  const names = planNames(walk, asked.question.column, input);
  return { asked, ...places, ...defined({ names }) };
}
