/**
 * The path of a list as parts that can be removed and added: filters, relations, the choice of columns. Pure.
 *
 * @module
 */

import type { Column } from "@/core/catalog.ts";
import type { ValueType } from "@/core/model.ts";
import { type LinkStyle, printValue } from "@/core/request/print_path.ts";
import { columnSegment, isOpposite, type Relation, type Table } from "@/core/schema/table.ts";
import type { Step, Walk } from "@/core/schema/walk_path.ts";
import { endOfDay } from "@/core/summaries/group_filter.ts";
import type { FilterFields } from "@/plugins/contract.ts";

/** Keys that a filter over a relation may become: more make no address that people could keep. */
export const MOST_KEYS = 100;

/** Segments that belong together, and may be left out together. */
export interface PathPart {
  readonly segments: readonly string[];
  /** The step and the filter that they stand for; without a filter they lead to the step's table. */
  readonly step: number;
  readonly filter?: number;
}

/** The segments of a walk after the database's, as parts; and the column list at the end. */
export function partsOf(
  segments: readonly string[],
  { steps, columns }: Walk,
): { readonly parts: readonly PathPart[]; readonly columns: readonly string[] } {
  const parts: PathPart[] = [];
  let at = 0;
  for (const [step, { filters }] of steps.entries()) {
    parts.push({ segments: segments.slice(at, at + 1), step });
    at += 1;
    for (const [filter] of filters.entries()) {
      parts.push({ segments: segments.slice(at, at + 2), step, filter });
      at += 2;
    }
  }
  return { parts, columns: columns ? segments.slice(at, at + 1) : [] };
}

/**
 * The parts without the filter at `index`. A relation that was there only for it, there and back, goes with
 * it: the customers who have an invoice of this kind become all customers again.
 */
export function withoutPart(parts: readonly PathPart[], index: number, { steps }: Walk): readonly PathPart[] {
  const kept = parts.filter((_, position) => position !== index);
  const step = parts[index]?.step ?? 0;
  const isLoop = isOpposite(steps[step]?.via, steps[step + 1]?.via);
  const hasOther = kept.some((part) => part.filter !== undefined && part.step === step);
  return isLoop && !hasOther ? withoutLoop(kept, step) : kept;
}

/** The parts without a relation and the way back from it. */
export function withoutLoop(parts: readonly PathPart[], step: number): readonly PathPart[] {
  return parts.filter((part) => part.step !== step && !(part.step === step + 1 && part.filter === undefined));
}

/** The relation of the other table that leads back; undefined if the caller may not follow it. */
function wayBack(relation: Relation): Relation | undefined {
  return [...relation.table.toOne, ...relation.table.toMany].find((each) => isOpposite(relation, each));
}

/** A path and its parts. */
interface ListPath {
  readonly walk: Walk;
  readonly parts: readonly PathPart[];
}

/** Characters with a meaning in values. */
export interface Marks {
  readonly separator: string;
  readonly wildcard: string;
  readonly nullMarker: string;
  /** The spelling of the path. */
  readonly links: LinkStyle;
  /** The most decimals of a second that the engine holds. Undefined: the most of any engine. */
  readonly secondDecimals: number | undefined;
}

/**
 * The segments of a list with one more filter. Undefined for fields that name no
 * column or comparison, and for a relation that {@link mayFilter} refuses.
 */
export function withFilter(
  fields: FilterFields,
  path: ListPath,
  marks: Marks,
  links: LinkStyle,
): readonly string[] | undefined {
  const asked = readFields(fields, path.walk, marks, links);
  if (!asked) return undefined;
  const { relation, filter } = asked;
  if (!relation) return [...segmentsOf(path.parts), ...filter];
  return mayFilter(relation, path.walk) ? behind(relation, filter, path, links) : undefined;
}

/** The segments of a filter, and the relation to its table; undefined for no column or comparison. */
export function readFields(
  fields: FilterFields,
  { last: { table } }: Walk,
  marks: Marks,
  links: LinkStyle,
): { readonly relation?: Relation; readonly filter: readonly string[] } | undefined {
  const print = PRINTERS.get(fields.is);
  if (!print) return undefined;
  const chosen = chosenColumn(fields.column, table, links);
  if (!chosen) return undefined;
  const { column, owner, relation } = chosen;
  const isSwitch = column.type === "boolean";
  const isText = TEXTS.has(column.type);
  const text = (typed: string) => {
    const value = isText ? typed : typed.trim();
    return printValue(isSwitch ? IN_WORDS.get(value.toLowerCase()) ?? value : value, marks.links);
  };
  const [negated, value] = print(fields, textsOf(column, text, marks), { ...marks, isText });
  const filter = [(negated ? "~" : "") + columnSegment(column.name, owner, marks.links), value];
  return relation ? { relation, filter } : { filter };
}

/** The filter on the records of a relation, which leads there and back. */
function behind(
  relation: Relation,
  filter: readonly string[],
  path: ListPath,
  links: LinkStyle,
): readonly string[] {
  const back = wayBack(relation)?.segment ?? "";
  const there = [relation.segment, ...filter, back];
  if (relation.many) return [...segmentsOf(path.parts), ...there];
  const walk = wholeTable(path.walk);
  const parts = walk === path.walk ? path.parts : partsOfWhole(path, links);
  const before = (step: number) => segmentsOf(parts.filter((part) => part.step < step));
  const after = (step: number) => segmentsOf(parts.filter((part) => part.step >= step));
  // At the start, see mayFilter.
  return startsWith(relation, walk)
    ? [...before(2), ...filter, ...after(2)]
    : [...segmentsOf(parts.slice(0, 1)), ...there, ...segmentsOf(parts.slice(1))];
}

/**
 * Whether a list can be filtered by the records of a relation. Many records may share the one that a
 * relation to one record leads to, and the way back leads to all of them, whatever was asked of the list
 * before. So such a filter is the first of a path that begins with the whole table, and only one relation has
 * that place.
 */
export function mayFilter(relation: Relation, walk: Walk): boolean {
  if (!wayBack(relation)) return false;
  if (relation.many || startsWith(relation, walk)) return true;
  return keepsRows(wholeTable(walk).steps.slice(1));
}

/**
 * Whether the records of a relation that {@link mayFilter} refuses can be filtered by their keys: the foreign
 * key of the list has these as its values.
 */
export function mayKey({ many, local }: Relation): boolean {
  return !many && local.length === 1;
}

/** Whether steps only lead to many records and back: each of these belongs to one row, which stays. */
export function keepsRows(steps: readonly Step[]): boolean {
  return steps.every(({ via }, index) => {
    return index % 2 === 1 || (via?.many === true && isOpposite(via, steps[index + 1]?.via));
  });
}

/**
 * The list of the records that belong to one record, as that of their whole table with filters of its foreign
 * key; other lists as they are. So the former can be filtered like the latter.
 */
function wholeTable(walk: Walk): Pick<Walk, "steps"> {
  const [record, related, ...others] = walk.steps;
  const via = related?.via;
  const keyed = record.filters.map(({ column }) => column);
  const isKeyed = record.single && via?.many === true && keyed.length === via.local.length &&
    via.local.every((column) => keyed.includes(column));
  if (!related || !isKeyed) return walk;
  const { table, filters } = related;
  return { steps: [{ table, filters: [...record.filters, ...filters], single: false }, ...others] };
}

/** The parts of {@link wholeTable}. */
function partsOfWhole({ parts, walk }: ListPath, links: LinkStyle): readonly PathPart[] {
  const [record, related] = walk.steps;
  const { local = [], foreign = [], table } = related?.via ?? {};
  const keys = parts.filter(({ step, filter }) => step === 0 && filter !== undefined);
  const nameOf = (filter = 0) => {
    const at = local.indexOf(record.filters[filter]?.column ?? -1);
    const name = table?.columns[foreign[at] ?? -1]?.name ?? "";
    return table ? columnSegment(name, table, links) : "";
  };
  const own = parts.filter(({ step, filter }) => step > 1 || (step === 1 && filter !== undefined));
  return [
    { segments: [table?.segment ?? ""], step: 0 },
    ...keys.map(({ segments: [, value = ""], filter }) => ({ segments: [nameOf(filter), value], step: 0 })),
    ...own.map((part) => ({ ...part, step: part.step - 1 })),
  ];
}

/** Whether a path leads from its whole table over this relation and back, and then keeps the rows. */
export function startsWith(relation: Relation, { steps }: Pick<Walk, "steps">): boolean {
  const [whole, there, back, ...others] = steps;
  return whole.filters.length === 0 && there?.via === relation && isOpposite(relation, back?.via) &&
    keepsRows(others);
}

/** The segments of parts. */
export function segmentsOf(parts: readonly PathPart[]): readonly string[] {
  return parts.flatMap(({ segments }) => segments);
}

/** Types whose values may begin and end with blanks. */
const TEXTS: ReadonlySet<ValueType> = new Set(["text", "any"]);

/** Pages show them like this. */
const IN_WORDS: ReadonlyMap<string, string> = new Map([["yes", "true"], ["no", "false"]]);

/** How a comparison prints what was typed. */
interface Texts {
  /** A value, or the beginning of a range. */
  readonly text: (typed: string) => string;
  /** The end of a range. */
  readonly end: (typed: string) => string;
  /** A value that cells are equal to. */
  readonly equal: (typed: string) => string;
}

/** A day is its midnight among moments, and people mean the whole day. */
function textsOf({ type }: Column, text: Texts["text"], { secondDecimals }: Marks): Texts {
  if (type !== "datetime") return { text, end: text, equal: text };
  const isDay = (typed: string) => /^\s*\d{4}-\d\d-\d\d\s*$/.test(typed);
  const end = (typed: string) => text(isDay(typed) ? endOfDay(typed.trim(), secondDecimals) : typed);
  return { text, end, equal: (typed) => isDay(typed) ? `${text(typed)}..${end(typed)}` : text(typed) };
}

/** A column of a list's table, or of one behind a relation. */
interface ChosenColumn {
  readonly column: Column;
  readonly position: number;
  /** The table of the column. */
  readonly owner: Table;
  readonly relation: Relation | undefined;
}

/** The column that a choice of the form stands for: `Name`, or `Country/Name` behind a relation. */
export function chosenColumn(choice: string, table: Table, links: LinkStyle): ChosenColumn | undefined {
  const [first = "", second] = choice.split("/");
  const relation = second === undefined
    ? undefined
    : [...table.toOne, ...table.toMany].find(({ segment }) => segment === first);
  const owner = second === undefined ? table : relation?.table;
  if (!owner) return undefined;
  const position = owner.columns.findIndex(({ name }) => {
    return columnSegment(name, owner, links) === (second ?? first);
  });
  const column = owner.columns[position];
  return column && { column, position, owner, relation };
}

type Print = (
  fields: FilterFields,
  texts: Texts,
  marks: Marks & { readonly isText: boolean },
) => readonly [negated: boolean, value: string];

/** How each comparison is written in a path. */
const PRINTERS: ReadonlyMap<string, Print> = new Map<string, Print>([
  ["is", ({ value }, { equal }) => [false, equal(value)]],
  ["not", ({ value }, { equal }) => [true, equal(value)]],
  ["any", ({ value }, { equal }, marks) => [false, choices(value, marks).map(equal).join(marks.separator)]],
  ["none", ({ value }, { equal }, marks) => [true, choices(value, marks).map(equal).join(marks.separator)]],
  ["contains", ({ value }, { text }, { wildcard }) => [false, wildcard + text(value) + wildcard]],
  ["without", ({ value }, { text }, { wildcard }) => [true, wildcard + text(value) + wildcard]],
  ["begins", ({ value }, { text }, { wildcard }) => [false, text(value) + wildcard]],
  ["notbegins", ({ value }, { text }, { wildcard }) => [true, text(value) + wildcard]],
  ["ends", ({ value }, { text }, { wildcard }) => [false, wildcard + text(value)]],
  ["notends", ({ value }, { text }, { wildcard }) => [true, wildcard + text(value)]],
  ["least", ({ value }, { text }) => [false, `${text(value)}..`]],
  ["most", ({ value }, { end }) => [false, `..${end(value)}`]],
  ["range", ({ value, to }, { text, end }) => [false, `${text(value)}..${end(to)}`]],
  ["outside", ({ value, to }, { text, end }) => [true, `${text(value)}..${end(to)}`]],
  // A number or a date is never an empty text: its empty cell is NULL.
  ["empty", (_fields, { text }, marks) => [false, marks.isText ? text("") : marks.nullMarker]],
  ["filled", (_fields, { text }, marks) => [true, marks.isText ? text("") : marks.nullMarker]],
  ["null", (_fields, _text, { nullMarker }) => [false, nullMarker]],
  ["value", (_fields, _text, { nullMarker }) => [true, nullMarker]],
]);

/** The values between `|`, or ` | ` with a blank on both sides. Any other blank belongs to a text. */
function choices(value: string, { isText }: { readonly isText: boolean }): readonly string[] {
  return value.split(/ \| |\|/).map((each) => isText ? each : each.trim());
}
