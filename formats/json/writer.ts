/**
 * Compiles a shape to constant texts with holes for the values. The layout equals that of
 * `JSON.stringify(value, null, indent)`.
 *
 * @module
 */

import type { Body, Pieces, Row, Shape, ShapeRelation, Writer } from "@/plugins/contract.ts";
import { flat, isNumeric } from "@/plugins/kit/formats.ts";
import { bracket, type Brackets, join, needsEscapes, writerFor, writeText, type WriteValue } from "./text.ts";

/** The settings, overridden by the request. */
export interface JsonOptions {
  /** Spaces per level; 0 puts everything on one line. */
  readonly indent: number;
  /** Whether references to records are included. */
  readonly href: boolean;
  /** Whether a single record is an array with one item. */
  readonly singleAsArray: boolean;
  /** The key of references. */
  readonly refidPrefix: string;
}

/** Pieces if the record has nested records. */
type WriteRow = (row: Row) => string | Pieces;

/** A value in a record, or related records. */
type Hole = PlainHole | { readonly kind: "rows"; readonly cell: number; write(rows: readonly Row[]): Pieces };

type PlainHole =
  | { readonly kind: "cell"; readonly cell: number; readonly isNumeric: boolean; readonly write: WriteValue }
  /** The record's path with an ending and a quote; null without a path. */
  | { readonly kind: "path"; readonly end: string }
  /** The same between two texts, or null instead of all if one of `cells` is NULL. */
  | {
    readonly kind: "link";
    readonly cells: readonly number[];
    readonly open: string;
    readonly end: string;
    readonly close: string;
  };

/** A value of a record by its name, between two constant texts. */
interface Member {
  readonly name: string;
  readonly open: string;
  readonly hole: Hole;
  readonly close: string;
}

/** A hole behind a constant text. */
interface Step {
  readonly before: string;
  /** The same with the opening quote of a string. */
  readonly quoted: string;
  readonly hole: Hole;
}

type PlainStep = Step & { readonly hole: PlainHole };

/** The writer of one shape; everything independent of rows is computed here, once. */
export function createWriter(shape: Shape, options: JsonOptions): Writer {
  const { form } = shape;
  if (form === "columns") {
    const write = turnedWriter(shape, options);
    return () => listBody(write, bracket("{", "}", options.indent));
  }
  const isScalar = form === "values" || form === "value";
  const isList = form === "records" || form === "values" || (form === "record" && options.singleAsArray);
  const write = isScalar ? scalarWriter(shape) : recordWriter(shape, options, isList ? 1 : 0);
  if (!isList) {
    const body: Body = { begin: () => "", row: write, end: () => "" };
    return () => body;
  }
  const brackets = bracket("[", "]", options.indent);
  return () => listBody(write, brackets);
}

/** Writes the members of a list one by one; the only state is whether it is empty. */
function listBody(write: WriteRow, { open, next, close, empty }: Brackets): Body {
  let isEmpty = true;
  return {
    begin: () => "",
    row(row, first) {
      isEmpty = false;
      const before = first ? open : next;
      const record = write(row);
      return typeof record === "string" ? before + record : behind(before, record);
    },
    end: () => isEmpty ? empty : close,
  };
}

function* behind(before: string, record: string | Pieces): Pieces {
  yield before;
  if (typeof record === "string") yield record;
  else yield* record;
}

function scalarWriter(shape: Shape): WriteRow {
  const write = writerFor(shape.columns[0]?.type ?? "any");
  return (row) => write(row[0] ?? null);
}

/** A transposed column: its name, then its values as a list. */
function turnedWriter(shape: Shape, { indent }: JsonOptions): WriteRow {
  const writers = new Map(shape.columns.map(({ name, type }) => [name, writerFor(type)]));
  const brackets = bracket("[", "]", indent, 1);
  return ([name, ...values]) => {
    const key = String(name);
    const write = writers.get(key) ?? writerFor("any");
    return keyText(key, indent) + join(values.map(write), brackets);
  };
}

function keyText(name: string, indent: number): string {
  return writeText(name) + (indent > 0 ? ": " : ":");
}

function recordWriter(shape: Shape, options: JsonOptions, level: number): WriteRow {
  const brackets = bracket("{", "}", options.indent, level);
  const members = membersOf(shape, options, level);
  if (members.length === 0) return () => brackets.empty;
  const { steps, close } = joinTexts(members, brackets, options.indent);
  const hasPath = members.some(({ hole }) => hole.kind === "path" || hole.kind === "link");
  const locate = hasPath ? shape.locate : undefined;
  const plain = steps.filter((step): step is PlainStep => step.hole.kind !== "rows");
  if (plain.length < steps.length) return (row) => writePieces(row, steps, close, locate?.(row) ?? null);
  return (row) => {
    const path = locate === undefined ? null : locate(row);
    let text = "";
    for (const step of plain) text += writeHole(step.hole, step, row, path);
    return text + close;
  };
}

/**
 * Joins the constant texts between two holes: the time of an answer grows with the number of its parts.
 * `close`: the text behind the last hole.
 */
function joinTexts(
  members: readonly Member[],
  { open, next, close }: Brackets,
  indent: number,
): { readonly steps: readonly Step[]; readonly close: string } {
  let text = open;
  const steps = members.map((member, index): Step => {
    const before = text + (index === 0 ? "" : next) + keyText(member.name, indent) + member.open;
    text = member.close;
    return { before: flat(before), quoted: flat(`${before}"`), hole: member.hole };
  });
  return { steps, close: flat(text + close) };
}

/** A record with nested records, whose length has no bound. */
function* writePieces(row: Row, steps: readonly Step[], close: string, path: string | null): Pieces {
  let text = "";
  for (const step of steps) {
    const { hole } = step;
    if (hole.kind === "rows") {
      yield text + step.before;
      const cell = row[hole.cell];
      yield* hole.write(Array.isArray(cell) ? cell : []);
      text = "";
    } else text += writeHole(hole, step, row, path);
  }
  yield text + close;
}

/** A value behind the text of its step. */
function writeHole(hole: PlainHole, { before, quoted }: Step, row: Row, path: string | null): string {
  if (hole.kind === "cell") {
    const value = row[hole.cell] ?? null;
    if (typeof value === "number" && Number.isFinite(value)) return before + value;
    const isPlain = typeof value === "string" && !hole.isNumeric && !needsEscapes(value);
    return isPlain ? `${quoted}${value}"` : before + hole.write(value);
  }
  if (hole.kind === "path") return path === null ? `${before}null` : quoted + path + hole.end;
  for (const cell of hole.cells) if (row[cell] === null) return `${before}null`;
  return before + hole.open + (path === null ? "null" : `"${path}${hole.end}`) + hole.close;
}

/** The members of a record in their order. A member that is called like the reference replaces it. */
function membersOf(shape: Shape, options: JsonOptions, level: number): readonly Member[] {
  const relations = (list: readonly ShapeRelation[]) =>
    list.flatMap((relation) => relationMember(relation, options, level) ?? []);
  const members = [
    ...relations(shape.toOne),
    ...shape.columns.map(({ name, type }, cell) =>
      alone(name, { kind: "cell", cell, isNumeric: isNumeric(type), write: writerFor(type) })
    ),
    ...relations(shape.toMany),
  ];
  const hasReference = options.href && shape.locate !== undefined &&
    members.every(({ name }) => name !== options.refidPrefix);
  return hasReference ? [alone(options.refidPrefix, pathHole(".json")), ...members] : members;
}

/** A member without texts of its own around its value. */
function alone(name: string, hole: Hole): Member {
  return { name, open: "", hole, close: "" };
}

/** Paths are percent-encoded, so they need no escaping. */
function pathHole(suffix: string): Hole & { readonly kind: "path" } {
  return { kind: "path", end: `${suffix}"` };
}

/** A relation as its records if expanded, else as a reference; undefined if references are off. */
function relationMember(relation: ShapeRelation, options: JsonOptions, level: number): Member | undefined {
  const { name, segment, expanded, nullableKey: cells } = relation;
  if (expanded) return alone(name, expandedHole(expanded, options, level));
  if (!options.href) return undefined;
  const brackets = bracket("{", "}", options.indent, level + 1);
  const open = brackets.open + keyText(options.refidPrefix, options.indent);
  const { close } = brackets;
  const hole = pathHole(`/${segment}.json`);
  return cells
    ? alone(name, { kind: "link", cells, open, end: hole.end, close })
    : { name, open, hole, close };
}

function expandedHole(
  { cell, shape }: NonNullable<ShapeRelation["expanded"]>,
  options: JsonOptions,
  level: number,
): Hole {
  if (shape.form === "record") {
    const write = recordWriter(shape, options, level + 1);
    return { kind: "rows", cell, write: ([row]) => behind("", row ? write(row) : "null") };
  }
  const write = recordWriter(shape, options, level + 2);
  const brackets = bracket("[", "]", options.indent, level + 1);
  return { kind: "rows", cell, write: (rows) => writeList(rows, write, brackets) };
}

function* writeList(rows: readonly Row[], write: WriteRow, { open, next, close, empty }: Brackets): Pieces {
  if (rows.length === 0) return yield empty;
  for (const [index, row] of rows.entries()) yield* behind(index === 0 ? open : next, write(row));
  yield close;
}
