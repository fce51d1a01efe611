/**
 * Compiles a shape to constant texts with holes for the values. The layout equals that of `JSON.stringify(value, null,
 * indent)`.
 *
 * @module
 */

import type { Body, Cell, Pieces, Row, Shape, ShapeRelation, Writer } from "@/plugins/contract.ts";
import type { JsonSettings } from "./settings.ts";
import { writerFor, writeText, type WriteValue } from "./value.ts";

/** The settings, overridden by the request. */
export interface JsonOptions extends JsonSettings {
  /** The key of references. */
  readonly refidPrefix: string;
}

/** Pieces if the record has nested records. */
type WriteRow = (row: Row) => string | Pieces;

/**
 * A hole between two constant texts: a cell's value, the record's path with a suffix, a reference object that is null if
 * one of `cells` is NULL, or related records.
 */
type Hole = PlainHole | { readonly kind: "rows"; readonly cell: number; write(rows: readonly Row[]): Pieces };

type PlainHole =
  | { readonly kind: "cell"; readonly cell: number; readonly write: WriteValue }
  | { readonly kind: "path"; readonly suffix: string }
  | {
    readonly kind: "reference";
    readonly cells: readonly number[];
    readonly open: string;
    readonly suffix: string;
    readonly close: string;
  };

/** The writer of one shape; everything independent of rows is computed here, once. */
export function createWriter(shape: Shape, options: JsonOptions): Writer {
  const isList = shape.form === "records" || shape.form === "values" ||
    (shape.form === "record" && options.singleAsArray);
  if (shape.form === "columns") {
    return () => new ListBody(turnedWriter(shape, options), bracket("{", "}", 0, options));
  }
  const write = shape.form === "values" || shape.form === "value"
    ? scalarWriter(shape)
    : recordWriter(shape, options, isList ? 1 : 0);
  if (!isList) {
    const body: Body = { begin: () => "", row: write, end: () => "" };
    return () => body;
  }
  const brackets = bracket("[", "]", 0, options);
  return () => new ListBody(write, brackets);
}

/** The opening, separator and closing of a list or object, and its text when empty. */
interface Brackets {
  readonly open: string;
  readonly next: string;
  readonly close: string;
  readonly empty: string;
}

function bracket(open: string, close: string, level: number, { indent }: JsonOptions): Brackets {
  const line = indent > 0 ? "\n" + " ".repeat(indent * (level + 1)) : "";
  const end = indent > 0 ? "\n" + " ".repeat(indent * level) : "";
  return { open: open + line, next: "," + line, close: end + close, empty: open + close };
}

/** Writes the members of a list one by one; the only state is whether it is empty. */
class ListBody implements Body {
  readonly #write: WriteRow;
  readonly #brackets: Brackets;
  #isEmpty = true;

  constructor(write: WriteRow, brackets: Brackets) {
    this.#write = write;
    this.#brackets = brackets;
  }

  begin(): string {
    return "";
  }

  row(row: Row, first: boolean): string | Pieces {
    this.#isEmpty = false;
    const before = first ? this.#brackets.open : this.#brackets.next;
    const record = this.#write(row);
    return typeof record === "string" ? before + record : behind(before, record);
  }

  end(): string {
    return this.#isEmpty ? this.#brackets.empty : this.#brackets.close;
  }
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
function turnedWriter(shape: Shape, options: JsonOptions): WriteRow {
  const colon = colonOf(options);
  const writers = new Map(shape.columns.map(({ name, type }) => [name, writerFor(type)]));
  const brackets = bracket("[", "]", 1, options);
  return ([name, ...values]) => {
    const key = String(name);
    const write = writers.get(key) ?? writerFor("any");
    return writeText(key) + colon + join(values.map(write), brackets);
  };
}

function join(members: readonly string[], { open, next, close, empty }: Brackets): string {
  return members.length === 0 ? empty : open + members.join(next) + close;
}

function colonOf({ indent }: JsonOptions): string {
  return indent > 0 ? ": " : ":";
}

function recordWriter(shape: Shape, options: JsonOptions, level: number): WriteRow {
  const { texts, holes } = layOut(shape, options, level);
  const { locate } = shape;
  const [start = ""] = texts;
  const steps = holes.map((hole, index) => ({ hole, after: texts[index + 1] ?? "" }));
  const needsPath = locate !== undefined && holes.some(({ kind }) => kind === "path" || kind === "reference");
  const pathOf = (row: Row) => needsPath ? locate(row) : null;
  const plain = steps.filter((step): step is PlainStep => step.hole.kind !== "rows");
  if (plain.length < steps.length) return (row) => writePieces(row, { start, steps, path: pathOf(row) });
  return (row) => {
    const path = pathOf(row);
    let text = start;
    for (const { hole, after } of plain) text += writeHole(hole, row, path) + after;
    return text;
  };
}

interface Step {
  readonly hole: Hole;
  readonly after: string;
}

interface PlainStep extends Step {
  readonly hole: PlainHole;
}

/** A record with nested records, whose length has no bound. */
function* writePieces(
  row: Row,
  { start, steps, path }: {
    readonly start: string;
    readonly steps: readonly Step[];
    readonly path: string | null;
  },
): Pieces {
  let text = start;
  for (const { hole, after } of steps) {
    if (hole.kind === "rows") {
      yield text;
      yield* hole.write(rowsOf(row[hole.cell]));
      text = after;
    } else text += writeHole(hole, row, path) + after;
  }
  yield text;
}

function writeHole(hole: PlainHole, row: Row, path: string | null): string {
  if (hole.kind === "cell") return hole.write(row[hole.cell] ?? null);
  if (hole.kind === "path") return writePath(path, hole.suffix);
  for (const cell of hole.cells) if (row[cell] === null) return "null";
  return hole.open + writePath(path, hole.suffix) + hole.close;
}

/** Paths are percent-encoded, so they need no escaping. */
function writePath(path: string | null, suffix: string): string {
  return path === null ? "null" : `"${path}${suffix}"`;
}

/** The constant texts of a record and the holes between them; there is one text more than holes. */
function layOut(
  shape: Shape,
  options: JsonOptions,
  level: number,
): { texts: readonly string[]; holes: readonly Hole[] } {
  const members = membersOf(shape, options, level);
  const { open, next, close, empty } = bracket("{", "}", level, options);
  if (members.length === 0) return { texts: [empty], holes: [] };
  const texts = members.flatMap((
    { before },
    index,
  ) => [(index === 0 ? open : (members[index - 1]?.after ?? "") + next) + before]);
  return { texts: [...texts, (members.at(-1)?.after ?? "") + close], holes: members.map(({ hole }) => hole) };
}

/** A key of a record with the constant texts around its value. */
interface Member {
  readonly before: string;
  readonly hole: Hole;
  readonly after: string;
}

function membersOf(shape: Shape, options: JsonOptions, level: number): readonly Member[] {
  const colon = colonOf(options);
  const hasReferences = options.href && shape.locate !== undefined;
  const reference: readonly Member[] = hasReferences
    ? [{ before: writeText(options.refidPrefix) + colon, hole: { kind: "path", suffix: ".json" }, after: "" }]
    : [];
  const relations = (list: readonly ShapeRelation[]) =>
    list.flatMap((each) => relationMember(each, options, level) ?? []);
  const columns = shape.columns.map(({ name, type }, cell): Member => {
    return {
      before: writeText(name) + colon,
      hole: { kind: "cell", cell, write: writerFor(type) },
      after: "",
    };
  });
  return [...reference, ...relations(shape.toOne), ...columns, ...relations(shape.toMany)];
}

/** A relation as its records if expanded, else as a reference; undefined if references are off. */
function relationMember(relation: ShapeRelation, options: JsonOptions, level: number): Member | undefined {
  const key = writeText(relation.name) + colonOf(options);
  if (relation.expanded) {
    return { before: key, hole: expandedHole(relation.expanded, options, level), after: "" };
  }
  if (!options.href) return undefined;
  const { open: brace, close } = bracket("{", "}", level + 1, options);
  const open = brace + writeText(options.refidPrefix) + colonOf(options);
  const suffix = `/${relation.segment}.json`;
  const { nullableKey: cells } = relation;
  return cells
    ? { before: key, hole: { kind: "reference", cells, open, suffix, close }, after: "" }
    : { before: key + open, hole: { kind: "path", suffix }, after: close };
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
  const brackets = bracket("[", "]", level + 1, options);
  return { kind: "rows", cell, write: (rows) => writeList(rows, write, brackets) };
}

function* writeList(rows: readonly Row[], write: WriteRow, { open, next, close, empty }: Brackets): Pieces {
  if (rows.length === 0) return yield empty;
  for (const [index, row] of rows.entries()) yield* behind(index === 0 ? open : next, write(row));
  yield close;
}

function rowsOf(cell: Cell | undefined): readonly Row[] {
  return Array.isArray(cell) ? cell : [];
}
