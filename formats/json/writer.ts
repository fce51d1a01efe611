/**
 * Compiles a shape to constant texts with holes for the values. The layout equals that of
 * `JSON.stringify(value, null, indent)`.
 *
 * @module
 */

import type { Body, Pieces, Row, Shape, ShapeRelation, Writer } from "@/plugins/contract.ts";
import { bracket, type Brackets, join, writerFor, writeText, type WriteValue } from "./text.ts";

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

/** A value in a record: a cell, a link to a path below the record's, or related records. */
type Hole = PlainHole | { readonly kind: "rows"; readonly cell: number; write(rows: readonly Row[]): Pieces };

type PlainHole =
  | { readonly kind: "cell"; readonly cell: number; readonly write: WriteValue }
  | {
    /** The path between `start` and `end`; `none` without a path, and null if one of `cells` is NULL. */
    readonly kind: "link";
    readonly cells: readonly number[];
    readonly start: string;
    readonly end: string;
    readonly none: string;
  };

/** A hole behind a constant text. */
interface Step {
  readonly before: string;
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
  const { open, next, close, empty } = bracket("{", "}", options.indent, level);
  const members = membersOf(shape, options, level);
  if (members.length === 0) return () => empty;
  const steps = members.map(([key, hole], index): Step => {
    return { before: flat((index === 0 ? open : next) + keyText(key, options.indent)), hole };
  });
  const locate = steps.some(({ hole }) => hole.kind === "link") ? shape.locate : undefined;
  const plain = steps.filter((step): step is PlainStep => step.hole.kind !== "rows");
  if (plain.length < steps.length) return (row) => writePieces(row, steps, close, locate?.(row) ?? null);
  return (row) => {
    const path = locate === undefined ? null : locate(row);
    let text = "";
    for (const { before, hole } of plain) text += before + writeHole(hole, row, path);
    return text + close;
  };
}

/** A record with nested records, whose length has no bound. */
function* writePieces(row: Row, steps: readonly Step[], close: string, path: string | null): Pieces {
  let text = "";
  for (const { before, hole } of steps) {
    text += before;
    if (hole.kind === "rows") {
      yield text;
      const cell = row[hole.cell];
      yield* hole.write(Array.isArray(cell) ? cell : []);
      text = "";
    } else text += writeHole(hole, row, path);
  }
  yield text + close;
}

function writeHole(hole: PlainHole, row: Row, path: string | null): string {
  if (hole.kind === "cell") return hole.write(row[hole.cell] ?? null);
  for (const cell of hole.cells) if (row[cell] === null) return "null";
  return path === null ? hole.none : hole.start + path + hole.end;
}

/** The members of a record in their order. A member that is called like the reference replaces it. */
function membersOf(shape: Shape, options: JsonOptions, level: number): readonly (readonly [string, Hole])[] {
  const relations = (list: readonly ShapeRelation[]) =>
    list.flatMap((relation) => {
      const hole = relationHole(relation, options, level);
      return hole ? [[relation.name, hole] as const] : [];
    });
  const members = [
    ...relations(shape.toOne),
    ...shape.columns.map(({ name, type }, cell) =>
      [name, { kind: "cell", cell, write: writerFor(type) }] as const
    ),
    ...relations(shape.toMany),
  ];
  const hasReference = options.href && shape.locate !== undefined &&
    members.every(([name]) => name !== options.refidPrefix);
  return hasReference ? [[options.refidPrefix, linkHole(".json")], ...members] : members;
}

/** A relation as its records if expanded, else as a reference; undefined if references are off. */
function relationHole(relation: ShapeRelation, options: JsonOptions, level: number): Hole | undefined {
  if (relation.expanded) return expandedHole(relation.expanded, options, level);
  if (!options.href) return undefined;
  const { open, close } = bracket("{", "}", options.indent, level + 1);
  const key = keyText(options.refidPrefix, options.indent);
  return linkHole(`/${relation.segment}.json`, { open: open + key, close, cells: relation.nullableKey });
}

/** Paths are percent-encoded, so they need no escaping. */
function linkHole(
  suffix: string,
  { open = "", close = "", cells = [] }: {
    readonly open?: string;
    readonly close?: string;
    readonly cells?: readonly number[] | undefined;
  } = {},
): PlainHole {
  return {
    kind: "link",
    cells,
    start: flat(`${open}"`),
    end: flat(`${suffix}"${close}`),
    none: `${open}null${close}`,
  };
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

/**
 * V8 keeps a joined text as a tree of its parts until it is read. Read here, once, it costs
 * no answer a walk through the tree.
 */
function flat(text: string): string {
  void Number(text);
  return text;
}
