/**
 * Stage 4 of a list whose filter form needs a read of its own: values to choose from, or the keys of the
 * records that a filter finds.
 *
 * @module
 */

import { showFacet } from "@/core/pages/lists/show_facet.ts";
import { MOST_OFFERED } from "@/core/pages/records/choice_field.ts";
import type { Redirect } from "@/core/plan.ts";
import { executeRead, readRows, type ShownRows } from "@/core/tables/execute_read.ts";
import type { StreamOptions } from "@/plugins/contract.ts";
import type { KeyedPlan, ListPlan } from "./plan_keyed.ts";
import { MOST_KEYS } from "./list_path.ts";
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
