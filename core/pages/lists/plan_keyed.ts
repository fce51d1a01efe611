/**
 * Stage 3 of a filter over a relation that has no place in the path of the list: the records that it finds
 * are read, and the list is filtered by their keys.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";
import type { Row, Value } from "@/core/model.ts";
import { textOf } from "@/core/pages/records/choice_field.ts";
import { plainRead } from "@/core/pages/records/plain_read.ts";
import { encodeUrl, printValue } from "@/core/request/print_path.ts";
import { columnAt, columnSegment, relationTitle } from "@/core/schema/table.ts";
import type { ReadPlan } from "@/core/tables/plan_read.ts";
import type { FilterFields, RefusedFilter } from "@/plugins/contract.ts";
import { lacksValue, marksOf, refusal } from "./list_filters.ts";
import { addressOf, type ListInput } from "./list_input.ts";
import { mayFilter, mayKey, MOST_KEYS, readFields, segmentsOf } from "./list_path.ts";
import type { FacetPlan } from "./plan_facet.ts";
import type { OfferPlan } from "./plan_offer.ts";

/** The page of a list, with reads beside its own. */
interface BesidePlan {
  readonly kind: "beside";
  readonly list: ReadPlan;
  readonly facet?: FacetPlan;
  readonly offer?: OfferPlan;
}

/** The page of a list. */
export type ListPlan = ReadPlan | BesidePlan;

/** A filter whose records are read first. */
export interface KeyedPlan {
  readonly kind: "keyed";
  /** The records that the filter finds, one more than {@link MOST_KEYS}. */
  readonly found: ReadPlan;
  /** The list with the keys of these records. */
  readonly filtered: (rows: readonly Row[]) => string;
  /** The name of the records in a sentence. */
  readonly title: string;
  /** The list with a filter that cannot be used, and the reason. */
  readonly refuse: (sentence: string) => ListPlan;
}

/** Undefined if the filter has a place in the path, or is about the table itself. */
export function planKeyed(
  fields: FilterFields,
  list: ListInput,
  page: (refused: RefusedFilter) => ListPlan,
): KeyedPlan | ListPlan | undefined {
  const { walk, input, parts, columns } = list;
  const marks = marksOf(input);
  const { relation, filter = [] } = readFields(fields, walk, marks, input.service.links) ?? {};
  if (!relation || mayFilter(relation, walk) || !mayKey(relation) || lacksValue(fields)) return undefined;
  const { table, local: [own = -1], foreign: [foreign = -1] } = relation;
  const owner = walk.last.table;
  const segment = columnSegment(columnAt(owner, own).name, owner, marks.links);
  try {
    return {
      kind: "keyed",
      found: plainRead([table.segment, ...filter], input, { limit: MOST_KEYS + 1 }),
      filtered(rows) {
        const keys = rows.map((row) => row[foreign] as Value | undefined).filter((key) =>
          key !== null && key !== undefined
        );
        const printed = keys.map((key) => printValue(textOf(key), marks.links));
        const segments = [...segmentsOf(parts), segment, printed.join(marks.separator), ...columns];
        return encodeUrl(addressOf(segments, list));
      },
      title: relationTitle(relation, owner),
      refuse: (sentence) => page(refusal(fields, sentence)),
    };
  } catch (error) {
    if (error instanceof ServiceError) return page(refusal(fields, error.message));
    throw error;
  }
}
