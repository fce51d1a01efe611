/**
 * The filters of a list in words. Pure.
 *
 * @module
 */

import { beginning } from "@/core/base/counted.ts";
import type { Value, ValueType } from "@/core/model.ts";
import { spaced } from "@/core/pages/value_text.ts";
import type { Condition, Filter } from "@/core/schema/read_filters.ts";
import type { Step, Walk } from "@/core/schema/walk_path.ts";
import { dayEndingWith, withTime } from "@/core/summaries/group_filter.ts";

/** More values are not listed. */
const MOST_VALUES = 5;

/** `Country is Brazil or Canada`; filters on tables before the last one begin with the table's name. */
export function filterInWords({ column, negated, conditions }: Filter, { table }: Step, walk: Walk): string {
  const { name = "", type = "any" } = table.columns[column] ?? {};
  const owner = table === walk.last.table ? "" : `${table.name}: `;
  const words = told(conditions).map((each) => conditionInWords(each, { type, negated, values: walk.plain }));
  return `${owner}${name} ${words.join(" or ")}`;
}

/** The conditions without the cells that look like a value beside them: they are shown like it. */
export function told(conditions: readonly Condition[]): readonly Condition[] {
  const hasValues = conditions.some(({ kind }) => kind === "in");
  return conditions.filter(({ kind }) => kind !== "cells" || !hasValues);
}

function conditionInWords(
  condition: Condition,
  { type, negated, values }: {
    readonly type: ValueType;
    readonly negated: boolean;
    readonly values: readonly Value[];
  },
): string {
  const value = (slot: number | undefined) => shown(slot === undefined ? null : values[slot] ?? null, type);
  const not = negated ? " not" : "";
  switch (condition.kind) {
    case "null":
      return `is${not} NULL`;
    case "in":
    case "cells": {
      const all = [...new Set(condition.slots.map(value))];
      const listed = all.slice(0, MOST_VALUES);
      const more = all.length - listed.length;
      if (more > 0) listed.push(`${more} more`);
      return `is${not} ${listed.join(" or ")}`;
    }
    case "like":
      return patternInWords(String(values[condition.slot] ?? ""), negated);
    case "range": {
      const day = type === "datetime" ? dayEndingWith(String(values[condition.to ?? -1])) : undefined;
      const end = day ?? value(condition.to);
      if (condition.from === undefined) return `is${not} at most ${end}`;
      const first = String(values[condition.from]);
      const start = withTime(first) === first ? value(condition.from) : first;
      if (condition.to === undefined) return `is${not} at least ${start}`;
      return start === end ? `is${not} ${start}` : `is${not} between ${start} and ${end}`;
    }
  }
}

function patternInWords(pattern: string, negated: boolean): string {
  const { is, text } = readPattern(pattern);
  const [verb, infinitive] = VERBS[is];
  return `${negated ? `does not ${infinitive}` : verb} ${shown(text, "text")}`;
}

const VERBS = {
  contains: ["contains", "contain"],
  begins: ["begins with", "begin with"],
  ends: ["ends with", "end with"],
  like: ["looks like", "look like"],
} as const;

/** The comparison that a pattern of LIKE stands for; `!` escapes. `like`: any other pattern, with `*`. */
export function readPattern(pattern: string): { readonly is: keyof typeof VERBS; readonly text: string } {
  const parts = pattern.split(/(?<!!)((?:!!)*)%/).reduce<string[]>((texts, part, index) => {
    if (index % 2 === 1) texts[texts.length - 1] += part;
    else texts.push(part);
    return texts;
  }, []).map((part) => part.replace(/!([!%_[])/g, "$1"));
  const [first = "", second = "", third = ""] = parts;
  if (parts.length === 3 && first === "" && third === "") return { is: "contains", text: second };
  if (parts.length === 2 && second === "") return { is: "begins", text: first };
  if (parts.length === 2 && first === "") return { is: "ends", text: second };
  return { is: "like", text: parts.join("*") };
}

/** A value as the cells of the list show it. Texts that look like no text are quoted. */
function shown(value: Value, type: ValueType): string {
  if (value === "") return "empty";
  if (typeof value === "string" && /^(?:NULL|empty|\s+)$/.test(value)) return `“${value}”`;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  const text = spaced(type === "datetime" ? withTime(String(value)) : String(value), type);
  return beginning(text, 60);
}
