/**
 * Stage 4 of a list that needs a read of its own: values to choose from, the keys of the records that a
 * filter finds, a facet, or the next record.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import { ServiceError } from "@/core/errors.ts";
import { BY_NAME } from "@/core/pages/blocks.ts";
import { MOST_OFFERED } from "@/core/pages/records/choice_field.ts";
import type { OpenPlan } from "@/core/pages/records/neighbours.ts";
import { named } from "@/core/pages/summaries/summary_tables.ts";
import type { Redirect } from "@/core/plan.ts";
import { decodeName } from "@/core/request/parameter_values.ts";
import { encodeUrl } from "@/core/request/print_path.ts";
import { readFrequent } from "@/core/summaries/execute_summary.ts";
import { valueFilter } from "@/core/summaries/group_filter.ts";
import { executeRead, readRows, type ShownRows } from "@/core/tables/execute_read.ts";
import type { PageFacet, PageOption, StreamOptions } from "@/plugins/contract.ts";
import { MOST_KEYS } from "./list_path.ts";
import type { FacetPlan } from "./plan_facet.ts";
import type { KeyedPlan, ListPlan } from "./plan_keyed.ts";
import type { OfferPlan } from "./plan_offer.ts";

/** The page of a list. The reads beside it come first: one that fails would leave a stream open. */
export async function showList(plan: ListPlan, options: StreamOptions): Promise<ShownRows> {
  if (plan.kind === "read") return await executeRead(plan, options);
  const offered = plan.offer && await readOffer(plan.offer, options);
  const facet = plan.facet && await readFacet(plan.facet, options);
  const answer = await executeRead(plan.list, options);
  const { shown } = answer;
  if (!shown?.list) return answer;
  const opened = shown.list.opened && { ...shown.list.opened, ...defined({ offered }) };
  return { ...answer, shown: { ...shown, list: { ...shown.list, ...defined({ opened, facet }) } } };
}

/** Undefined if there are more values: they would be longer than the list. */
async function readOffer(
  { rows, optionsOf }: OfferPlan,
  options: StreamOptions,
): Promise<readonly PageOption[] | undefined> {
  const found = await readRows(rows, options);
  if (found.length > MOST_OFFERED) return undefined;
  return found.flatMap(optionsOf).toSorted((a, b) => BY_NAME.compare(a.label, b.label));
}

/** The list with a filter of the keys of the records, or with the reason why it has none. */
export async function leadToKeyed(
  { found, filtered, title, refuse }: KeyedPlan,
  options: StreamOptions,
): Promise<Redirect | ShownRows> {
  const rows = await readRows(found, options);
  if (rows.length > 0 && rows.length <= MOST_KEYS) {
    return { kind: "redirect", status: 303, location: filtered(rows) };
  }
  const sentence = rows.length === 0
    ? `No ${title} fits this filter`
    : `More than ${MOST_KEYS} records of ${title} fit this filter: narrow it, or remove the filter ` +
      "over another relation first";
  return await showList(refuse(sentence), options);
}

/** Milliseconds that the list waits for its facet. */
const PATIENCE = 1000;

/** The facet, which has no values if counting takes too long. */
async function readFacet(
  { asked, names: readNames, close, filtered }: FacetPlan,
  options: StreamOptions,
): Promise<PageFacet> {
  const { signal, requestId, turn } = options;
  const { question, source: { walk } } = asked;
  const { name = "", type = "any" } = walk.last.table.columns[question.column] ?? {};
  try {
    const frequent = await readFrequent(asked, { signal, requestId, turn, milliseconds: PATIENCE });
    const names = await readNames?.({ column: { frequent } }, options) ?? new Map();
    const values = frequent.map(({ value, count }) => {
      const filter = valueFilter(value);
      const label = named(value, { type }, names) ?? "";
      return { label, count, ...defined({ href: filter && filtered(name, filter) }) };
    });
    return { column: name, close, values };
  } catch (error) {
    if (error instanceof ServiceError && error.code === "timeout") return { column: name, close };
    throw error;
  }
}

/** The page of the row's record; behind the last row that of the list. */
export async function openRow(
  { rows, behind, place, list }: OpenPlan,
  options: StreamOptions,
): Promise<Redirect> {
  const paths = (await readRows(rows, options)).map((row) => rows.compiled.shape.locate?.(row));
  const step = behind !== undefined && decodeName(paths[0] ?? "") === behind ? 1 : 0;
  const path = paths[step];
  const location = typeof path === "string" ? `${path}.html${place}${rows.offset + step}` : list;
  return { kind: "redirect", status: 303, location: encodeUrl(location) };
}
