/**
 * Writes the answers of a shape. The layout equals that of `JSON.stringify(value, null, indent)`.
 *
 * @module
 */

import type { Body, Pieces, Row, Shape, ShapeRelation, Writer } from "@/plugins/contract.ts";
import { isNumeric } from "@/plugins/kit/formats.ts";
import { type CellMember, compileRecord, type Member, type RowsMember } from "./record.ts";
import { bracket, type Brackets, join, keyText, writerFor } from "./text.ts";

/** The settings, overridden by the request. */
export interface JsonOptions {
  /** Spaces per level; 0 puts everything on one line. */
  readonly indent: number;
  /** Whether references to records are included. */
  readonly href: boolean;
  /** Whether a whole single record is an array with one item. */
  readonly singleAsArray: boolean;
  /** The key of references. */
  readonly refidPrefix: string;
}

/** Pieces if the record has nested records. */
type WriteRow = (row: Row) => string | Pieces;

/** The writer of one shape; everything independent of rows is computed here, once. */
export function createWriter(shape: Shape, options: JsonOptions): Writer {
  const { form } = shape;
  if (form === "columns") {
    const write = turnedWriter(shape, options);
    return () => listBody(write, bracket("{", "}", options.indent));
  }
  const isScalar = form === "values" || form === "value";
  const isList = form === "records" || form === "values" || isWrapped(shape, options);
  const write = isScalar ? scalarWriter(shape) : recordWriter(shape, options, isList ? 1 : 0);
  if (!isList) {
    const body: Body = { begin: () => "", row: write, end: () => "" };
    return () => body;
  }
  const brackets = bracket("[", "]", options.indent);
  return () => listBody(write, brackets);
}

/** Whether the answer is an array with one record; listed columns stay an object, as specified. */
export function isWrapped(
  { form, locate }: Shape,
  { singleAsArray }: Pick<JsonOptions, "singleAsArray">,
): boolean {
  return singleAsArray && form === "record" && locate !== undefined;
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

function recordWriter(shape: Shape, options: JsonOptions, level: number): WriteRow {
  const members = membersOf(shape, options, level);
  const write = compileRecord(members, bracket("{", "}", options.indent, level), options.indent);
  const locate = members.some(({ kind }) => kind === "path") ? shape.locate : undefined;
  return locate === undefined ? (row) => write(row, null) : (row) => write(row, locate(row));
}

/** The members of a record in their order. A member that is called like the reference replaces it. */
function membersOf(shape: Shape, options: JsonOptions, level: number): readonly Member[] {
  const relations = (list: readonly ShapeRelation[]) =>
    list.flatMap((relation) => relationMember(relation, options, level) ?? []);
  const members: readonly Member[] = [
    ...relations(shape.toOne),
    ...shape.columns.map(({ name, type }, cell): CellMember => ({
      name,
      kind: "cell",
      cell,
      isNumeric: isNumeric(type),
      write: writerFor(type),
    })),
    ...relations(shape.toMany),
  ];
  const hasReference = options.href && shape.locate !== undefined &&
    members.every(({ name }) => name !== options.refidPrefix);
  if (!hasReference) return members;
  const own = { name: options.refidPrefix, kind: "path", open: "", suffix: ".json", close: "" } as const;
  return [own, ...members];
}

/** A relation as its records if expanded, else as a reference; undefined if references are off. */
function relationMember(
  { name, segment, expanded }: ShapeRelation,
  options: JsonOptions,
  level: number,
): Member | undefined {
  if (expanded) return rowsMember(name, expanded, options, level);
  if (!options.href) return undefined;
  const brackets = bracket("{", "}", options.indent, level + 1);
  const open = brackets.open + keyText(options.refidPrefix, options.indent);
  return { name, kind: "path", open, suffix: `/${segment}.json`, close: brackets.close };
}

function rowsMember(
  name: string,
  { cell, shape }: NonNullable<ShapeRelation["expanded"]>,
  options: JsonOptions,
  level: number,
): RowsMember {
  if (shape.form === "record") {
    const write = recordWriter(shape, options, level + 1);
    return { name, kind: "rows", cell, write: ([row]) => behind("", row ? write(row) : "null") };
  }
  const write = recordWriter(shape, options, level + 2);
  const brackets = bracket("[", "]", options.indent, level + 1);
  return { name, kind: "rows", cell, write: (rows) => writeList(rows, write, brackets) };
}

function* writeList(rows: readonly Row[], write: WriteRow, { open, next, close, empty }: Brackets): Pieces {
  if (rows.length === 0) return yield empty;
  for (const [index, row] of rows.entries()) yield* behind(index === 0 ? open : next, write(row));
  yield close;
}
