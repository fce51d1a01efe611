/**
 * Stage 4 of a list that needs a read of its own: values to choose from, the keys of the records that a
 * filter finds, a facet, or the next record.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import { ServiceError } from "@/core/errors.ts";
import { MOST_OFFERED } from "@/core/pages/records/choice_field.ts";
import type { OpenPlan } from "@/core/pages/records/neighbours.ts";
import { named } from "@/core/pages/summaries/summary_tables.ts";
import type { Redirect } from "@/core/plan.ts";
import { decodeName } from "@/core/request/parameter_values.ts";
import { encodeUrl } from "@/core/request/print_path.ts";
import { readFrequent } from "@/core/summaries/execute_summary.ts";
import { valueFilter } from "@/core/summaries/group_filter.ts";
import { executeRead, readRows, type ShownRows } from "@/core/tables/execute_read.ts";
import type { PageFacet, StreamOptions } from "@/plugins/contract.ts";
import { MOST_KEYS } from "./list_path.ts";
import type { FacetPlan } from "./plan_facet.ts";
import type { KeyedPlan, ListPlan } from "./plan_keyed.ts";
import type { OfferPlan } from "./plan_offer.ts";

/** The page of a list. */
export async function showList(plan: ListPlan, options: StreamOptions): Promise<ShownRows> {
  switch (plan.kind) {
    case "read":
      return await executeRead(plan, options);
    case "facet":
      return await showFacet(plan, options);
    case "offer":
      return await showOffer(plan, options);
  }
}

/** Lists of more values would be longer than the list. */
async function showOffer({ list, rows, optionsOf }: OfferPlan, options: StreamOptions): Promise<ShownRows> {
  const found = await readRows(rows, options);
  const answer = await showList(list, options);
  const { shown } = answer;
  if (!shown?.list?.opened || found.length > MOST_OFFERED) return answer;
  const offered = found.flatMap(optionsOf).toSorted((a, b) => a.label.localeCompare(b.label));
  const { opened } = shown.list;
  return { ...answer, shown: { ...shown, list: { ...shown.list, opened: { ...opened, offered } } } };
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

/** The list with its facet, which says so if counting takes too long. */
async function showFacet(plan: FacetPlan, options: StreamOptions): Promise<ShownRows> {
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
