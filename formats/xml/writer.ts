/**
 * Rows as elements. Names are encoded once per shape; a row is one concatenation.
 *
 * @module
 */

import type { Pieces, Row, Shape, ShapeColumn, ShapeRelation, Writer } from "@/plugins/contract.ts";
import type { Frame } from "./frame.ts";
import { encodeValue } from "./text.ts";

type RowEncoder = (row: Row) => string;
/** Pieces if the record has nested records. */
type RecordEncoder = (row: Row) => string | Pieces;
/** Encodes a part of a record with this path; null without a path. */
type PartEncoder = (row: Row, path: string | null) => string;
/** Like {@link PartEncoder}, for parts that may have nested records. */
type PiecesEncoder = (row: Row, path: string | null) => Pieces;

/** Compiles a shape into a writer without state between answers. */
export function compileWriter(shape: Shape, frame: Frame): Writer {
  const encode = shape.form === "columns" ? compileTransposed(frame) : compileRecord(shape, frame);
  const opening = frame.open() + "\n";
  const body = {
    begin: () => opening,
    row: (row: Row) => {
      const record = encode(row);
      return typeof record === "string" ? record + "\n" : endLine(record);
    },
    end: () => frame.close,
  };
  return () => body;
}

function* endLine(record: Pieces): Pieces {
  yield* record;
  yield "\n";
}

function compileRecord(shape: Shape, frame: Frame): RecordEncoder {
  const name = frame.encodeName(shape.name);
  const locate = frame.href ? shape.locate : undefined;
  const [bare, referring, close] = [`<${name}>`, `<${name} href="`, `</${name}>`];
  const open = (path: string | null) => path === null ? bare : referring + path + '.json">';
  const columns = compileColumns(shape.columns, frame);
  const refers = locate !== undefined;
  if ([...shape.toOne, ...shape.toMany].some(({ expanded }) => expanded)) {
    const toOne = compileExpanded(shape.toOne, refers, frame);
    const toMany = compileExpanded(shape.toMany, refers, frame);
    return function* (row) {
      const path = locate?.(row) ?? null;
      yield open(path);
      yield* toOne(row, path);
      yield columns(row);
      yield* toMany(row, path);
      yield close;
    };
  }
  const toOne = compileReferences(shape.toOne, refers, frame);
  const toMany = compileReferences(shape.toMany, refers, frame);
  return (row) => {
    const path = locate === undefined ? null : locate(row);
    return open(path) + toOne(row, path) + columns(row) + toMany(row, path) + close;
  };
}

function compileColumns(columns: readonly ShapeColumn[], frame: Frame): RowEncoder {
  const names = columns.map((column) => frame.encodeName(column.name));
  const starts = names.map((name) => `<${name}>`);
  const ends = names.map((name) => `</${name}>`);
  const nils = names.map((name) => frame.nilVisible ? `<${name} xsi:nil="true"/>` : "");
  const count = names.length;
  return (row) => {
    let text = "";
    for (let index = 0; index < count; index++) {
      const cell = row[index];
      text += cell === null || cell === undefined
        ? nils[index]
        : `${starts[index]}${encodeValue(cell)}${ends[index]}`;
    }
    return text;
  };
}

/** Relations without records; without references they are left out. */
function compileReferences(relations: readonly ShapeRelation[], refers: boolean, frame: Frame): PartEncoder {
  if (!refers) return () => "";
  const parts = relations.map((relation) => compileReference(relation, frame));
  return (row, path) => {
    let text = "";
    for (const part of parts) text += part(row, path);
    return text;
  };
}

function compileReference(relation: ShapeRelation, frame: Frame): PartEncoder {
  const name = frame.encodeName(relation.name);
  const [start, target] = [`<${name} href="`, `/${relation.segment}.json"`];
  const { nil, isNull } = compileNull(relation, frame);
  return (row, path) => isNull(row) ? nil : path === null ? `<${name}/>` : start + path + target + "/>";
}

/** The element of a relation whose foreign key is NULL. */
function compileNull({ name, nullableKey }: ShapeRelation, frame: Frame) {
  return {
    nil: frame.nilVisible ? `<${frame.encodeName(name)} xsi:nil="true"/>` : "",
    isNull: nullableKey ? (row: Row) => nullableKey.some((cell) => row[cell] === null) : () => false,
  };
}

function compileExpanded(relations: readonly ShapeRelation[], refers: boolean, frame: Frame): PiecesEncoder {
  const parts = relations
    .filter((relation) => refers || relation.expanded !== undefined)
    .map((relation) => compileRelation(relation, frame));
  return function* (row, path) {
    for (const part of parts) yield* part(row, path);
  };
}

function compileRelation(relation: ShapeRelation, frame: Frame): PiecesEncoder {
  const { expanded } = relation;
  if (expanded === undefined) {
    const reference = compileReference(relation, frame);
    return function* (row, path) {
      yield reference(row, path);
    };
  }
  const name = frame.encodeName(relation.name);
  const [start, target] = [`<${name} href="`, `/${relation.segment}.json"`];
  const encodeRecord = compileRecord(expanded.shape, frame);
  const { nil, isNull } = compileNull(relation, frame);
  return function* (row, path) {
    if (isNull(row)) return yield nil;
    yield path === null ? `<${name}>` : start + path + target + ">";
    yield* encodeRows(row[expanded.cell], encodeRecord);
    yield `</${name}>`;
  };
}

function* encodeRows(cell: Row[number] | undefined, encodeRecord: RecordEncoder): Pieces {
  if (!Array.isArray(cell)) return;
  for (const row of cell) {
    const record = encodeRecord(row);
    if (typeof record === "string") yield record;
    else yield* record;
  }
}

/** Each row is a column: its name, then its values. NULLs are always shown, because positions matter. */
function compileTransposed(frame: Frame): RowEncoder {
  return (row) => {
    const name = frame.encodeName(encodeColumnName(row));
    let text = `<${name}>`;
    for (let index = 1; index < row.length; index++) {
      const cell = row[index];
      text += cell === null ? '<value xsi:nil="true"/>' : `<value>${encodeValue(cell)}</value>`;
    }
    return `${text}</${name}>`;
  };
}

function encodeColumnName(row: Row): string {
  const name = row[0];
  return typeof name === "string" ? name : encodeValue(name);
}
