/**
 * A filter of a list as the fields of the form that would add it: the opposite of {@link withFilter}. Pure.
 *
 * @module
 */

import { readPattern, told } from "@/core/pages/filter_words.ts";
import type { LinkStyle } from "@/core/request/print_path.ts";
import type { Filter } from "@/core/schema/read_filters.ts";
import { columnSegment, isOpposite } from "@/core/schema/table.ts";
import type { Step, Walk } from "@/core/schema/walk_path.ts";
import { dayEndingWith, withTime } from "@/core/summaries/group_filter.ts";
import type { FilterFields, Value } from "@/plugins/contract.ts";
import { keepsRows, type PathPart, startsWith } from "./list_path.ts";

/** Undefined for a part without a filter, and for filters that the form does not say in one piece. */
export function fieldsOf(
  { step, filter }: Pick<PathPart, "step" | "filter">,
  walk: Walk,
  links: LinkStyle,
): FilterFields | undefined {
  const at = walk.steps[step];
  const found = filter === undefined ? undefined : at?.filters[filter];
  const way = at && wayTo(at, step, walk);
  const { name, type } = at?.table.columns[found?.column ?? 0] ?? {};
  const compared = found && comparisonOf(found, walk.plain, type === "datetime");
  if (!at || way === undefined || compared === undefined || name === undefined) return undefined;
  return { column: way + columnSegment(name, at.table, links), value: "", to: "", ...compared };
}

/**
 * What stands before the column's name: nothing, or the relation to its table. Undefined if the filter has
 * another meaning at the end of the path, where the form adds it.
 */
function wayTo({ table, via, filters }: Step, step: number, walk: Walk): string | undefined {
  const { steps, last } = walk;
  if (table === last.table && keepsRows(steps.slice(step + 1))) return "";
  const isThereAndBack = isOpposite(via, steps[step + 1]?.via) && steps[step + 1]?.table === last.table;
  if (!via || !isThereAndBack || !keepsRows(steps.slice(step + 2))) return undefined;
  const isAlone = via.many ? filters.length === 1 : step === 1 && startsWith(via, walk);
  return isAlone ? `${via.segment}/` : undefined;
}

type Compared = Partial<FilterFields> & Pick<FilterFields, "is">;

/** `hasTimes`: a day stands for all its times. */
function comparisonOf(
  { negated, conditions }: Filter,
  plain: readonly Value[],
  hasTimes: boolean,
): Compared | undefined {
  const [condition, ...others] = told(conditions);
  if (!condition || others.length > 0) return undefined;
  const text = (slot: number | undefined) => typed(slot === undefined ? undefined : plain[slot]);
  const moment = (found: string | undefined) => found !== undefined && hasTimes ? withTime(found) : found;
  switch (condition.kind) {
    case "null":
      return { is: negated ? "value" : "null" };
    case "in":
    case "cells":
      return oneOf([...new Set(condition.slots.map((slot) => moment(text(slot))))], negated);
    case "like": {
      const { is, text: value } = readPattern(text(condition.slot) ?? "");
      return is === "like" ? undefined : { is: negated ? WITHOUT[is] : is, value };
    }
    case "range": {
      const [value, end] = [text(condition.from), text(condition.to)];
      const to = (end && hasTimes ? dayEndingWith(end) : undefined) ?? moment(end);
      if (value !== undefined && value === to && value !== end) return oneOf([value], negated);
      if (negated) return value === undefined || to === undefined ? undefined : { is: "outside", value, to };
      if (value === undefined) return to === undefined ? undefined : { is: "most", value: to };
      return to === undefined ? { is: "least", value } : { is: "range", value, to };
    }
  }
}

/** The opposites of patterns. */
const WITHOUT = { contains: "without", begins: "notbegins", ends: "notends" } as const;

function oneOf(values: readonly (string | undefined)[], negated: boolean): Compared | undefined {
  const known = values.filter((value) => value !== undefined);
  if (known.length !== values.length) return undefined;
  const [value = "", ...others] = known;
  if (others.length > 0) {
    if (known.some((each) => each.includes("|"))) return undefined;
    const hasBlanks = known.some((each) => /^ | $/.test(each));
    return { is: negated ? "none" : "any", value: known.join(hasBlanks ? " | " : "|") };
  }
  if (value === "") return { is: negated ? "filled" : "empty" };
  return { is: negated ? "not" : "is", value };
}

/** A value as people type it; undefined for bytes. */
function typed(value: Value | undefined): string | undefined {
  if (value === undefined || value === null || value instanceof Uint8Array) return undefined;
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}
