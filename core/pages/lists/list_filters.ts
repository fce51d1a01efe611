/**
 * The filters of a list: those that it has, the one that a form adds or changes, and links that add one.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";
import { filterInWords } from "@/core/pages/filter_words.ts";
import { plainComplaint } from "@/core/pages/form_state.ts";
import { encodeUrl } from "@/core/request/print_path.ts";
import { columnSegment, isOpposite, relationTitle } from "@/core/schema/table.ts";
import { walkPath } from "@/core/schema/walk_path.ts";
import type { FilterLink } from "@/core/summaries/group_filter.ts";
import type { DataRequest } from "@/core/tables/compile_read.ts";
import { walkInput } from "@/core/tables/plan_read.ts";
import type { ChangingFilter, FilterFields, PageFilter, RefusedFilter } from "@/plugins/contract.ts";
import { fieldsOf } from "./filter_fields.ts";
import { addressOf, type ListInput } from "./list_input.ts";
import { type Marks, segmentsOf, withFilter, withoutLoop, withoutPart } from "./list_path.ts";

/** The form field with the column, and the others that belong to it. */
const FILTER = ["column", "is", "value", "to"] as const;

/** The filter of the form; undefined if the request is not from that form. */
export function sentFilter({ ui }: Pick<ListInput, "ui">): FilterFields | undefined {
  const [column, is = "is", value = "", to = ""] = FILTER.map((name) => ui.get(name)?.[0]);
  return column === undefined ? undefined : { column, is, value, to };
}

/** The address with a filter, or why it cannot be used. */
export function changedFilter(fields: FilterFields, list: ListInput): string | RefusedFilter {
  if (lacksValue(fields)) return refusal(fields, NO_VALUE);
  const segments = filteredSegments(fields, list);
  if (!segments) return refusal(fields, "Choose a column and a comparison");
  const mistake = mistakeIn(segments, list.input);
  return mistake ? refusal(fields, mistake.message) : addressOf(segments, list);
}

/** The segments of the list with one more filter; undefined for fields that name no column or comparison. */
function filteredSegments(
  fields: FilterFields,
  { walk, parts, columns, input }: ListInput,
): readonly string[] | undefined {
  const filtered = withFilter(fields, { walk, parts }, marksOf(input), input.service.links);
  return filtered && [...filtered, ...columns];
}

/** The characters with a meaning in the paths of this request. */
export function marksOf({ request, service, connection }: DataRequest): Marks {
  const { separator = ",", wildcard = "*", nullStr = "<null>" } = request.parameters;
  return {
    separator: encodeURI(separator),
    wildcard: encodeURI(wildcard),
    nullMarker: encodeURI(nullStr),
    links: { ...service.links, grammar: request.grammar },
    secondDecimals: connection.database.sql.secondDecimals,
  };
}

/** Why a path of this database cannot be read. */
function mistakeIn(segments: readonly string[], input: DataRequest): ServiceError | undefined {
  try {
    walkPath(segments, walkInput(input));
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Comparisons with two ends; one of them is enough. */
const RANGES = ["range", "outside"];
/** Comparisons that mean something with an empty text, or need none. */
const WITHOUT_VALUE = ["is", "not", "empty", "filled", "null", "value"];

/** Whether the fields stand for `..`, for any text or for a list of nothing. */
export function lacksValue({ is, value, to }: FilterFields): boolean {
  return value === "" && !WITHOUT_VALUE.includes(is) && !(RANGES.includes(is) && to !== "");
}

const NO_VALUE = "Choose or type a value to compare with";

/** Pages have no wildcards. */
export function refusal(fields: FilterFields, sentence: string): RefusedFilter {
  const words = plainComplaint(sentence).replace(/^Cannot compare column .* with "": .*$/s, NO_VALUE)
    .replace(WILDCARD, "Only text contains, begins or ends with something, and $1 is of type $2");
  return { ...fields, sentence: words };
}

const WILDCARD = /^Cannot use a wildcard on (column .*): it is of type (\w+), .*$/s;

/** Values of a column that are none of its type have no address: SQLite stores any text as a date. */
export function filterLink(list: ListInput): FilterLink {
  const { input, walk } = list;
  return (column, filter) => {
    const segments = filteredSegments({
      ...filter,
      column: columnSegment(column, walk.last.table, input.service.links),
    }, list);
    if (!segments || mistakeIn(segments, input)) return undefined;
    return encodeUrl(addressOf(segments, list));
  };
}

/** A relation there and back without filters between counts as a filter, too. */
export function filtersOf(list: ListInput): readonly PageFilter[] {
  const { walk, parts, columns, change, input: { request, service } } = list;
  const { steps } = walk;
  return parts.flatMap(({ step, filter }, index): PageFilter[] => {
    const at = steps[step];
    if (!at) return [];
    if (filter === undefined) {
      const isLoop = isOpposite(at.via, steps[step + 1]?.via) && at.filters.length === 0;
      if (!isLoop) return [];
      const kept = segmentsOf(withoutLoop(parts, step));
      const owner = steps[step - 1]?.table;
      const what = at.via && owner ? relationTitle(at.via, owner) : "";
      return [{ sentence: `has ${what}`, without: addressOf([...kept, ...columns], list) }];
    }
    const found = at.filters[filter];
    if (!found) return [];
    const kept = segmentsOf(withoutPart(parts, index, walk));
    const isElsewhere = step < steps.length - 1 && at.table === walk.last.table;
    const sentence = filterInWords(found, at, walk);
    const fields = fieldsOf({ step, filter }, walk, service.links);
    return [{
      sentence: isElsewhere ? `${at.table.name}: ${sentence}` : sentence,
      without: addressOf([...kept, ...columns], list),
      ...(fields
        ? { fields, change: `${service.prefix}${request.path}.html${change({ "ui.change": String(index) })}` }
        : {}),
    }];
  });
}

/** The filter that the request wants to change: `ui.change` is the number of its part. */
export function changingOf(list: ListInput): ChangingFilter | undefined {
  const { walk, parts, columns, ui, input: { service } } = list;
  const index = parts.findIndex((_, position) => String(position) === ui.get("change")?.at(-1));
  const part = parts[index];
  const fields = part && fieldsOf(part, walk, service.links);
  if (!fields) return undefined;
  const without = addressOf([...segmentsOf(withoutPart(parts, index, walk)), ...columns], list);
  return { ...fields, action: without.split("?", 1)[0] ?? "" };
}
