/**
 * Rows as elements. All names are encoded once per shape; a row is one concatenation.
 *
 * @module
 */

import type { Row, Shape, ShapeColumn, ShapeRelation, Writer } from "@/plugins/contract.ts";
import type { Frame } from "./frame.ts";
import { encodeValue } from "./text.ts";

type RowEncoder = (row: Row) => string;
/** Encodes what belongs to a record whose path is known; null where it has none. */
type PartEncoder = (row: Row, path: string | null) => string;

/** Compiles a shape into a writer that keeps nothing between answers. */
export function compileWriter(shape: Shape, frame: Frame): Writer {
  const encode = shape.form === "columns" ? compileTransposed(frame) : compileRecord(shape, frame);
  const opening = frame.open() + "\n";
  const body = {
    begin: () => opening,
    row: (row: Row) => encode(row) + "\n",
    end: () => frame.close,
  };
  return () => body;
}

function compileRecord(shape: Shape, frame: Frame): RowEncoder {
  const name = frame.encodeName(shape.name);
  const locate = frame.href ? shape.locate : undefined;
  const toOne = compileRelations(shape.toOne, locate !== undefined, frame);
  const toMany = compileRelations(shape.toMany, locate !== undefined, frame);
  const columns = compileColumns(shape.columns, frame);
  const [bare, referring, close] = [`<${name}>`, `<${name} href="`, `</${name}>`];
  return (row) => {
    const path = locate === undefined ? null : locate(row);
    const open = path === null ? bare : referring + path + '.json">';
    return open + toOne(row, path) + columns(row) + toMany(row, path) + close;
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

/** A relation that is neither a reference nor expanded has nothing to say and is left out. */
function compileRelations(relations: readonly ShapeRelation[], refers: boolean, frame: Frame): PartEncoder {
  const parts = relations
    .filter((relation) => refers || relation.expanded !== undefined)
    .map((relation) => compileRelation(relation, frame));
  if (parts.length === 0) return () => "";
  return (row, path) => {
    let text = "";
    for (const part of parts) text += part(row, path);
    return text;
  };
}

function compileRelation(relation: ShapeRelation, frame: Frame): PartEncoder {
  const name = frame.encodeName(relation.name);
  const [start, target] = [`<${name} href="`, `/${relation.segment}.json"`];
  const { expanded } = relation;
  if (expanded === undefined) {
    return (_row, path) => path === null ? `<${name}/>` : start + path + target + "/>";
  }
  const encodeRecord = compileRecord(expanded.shape, frame);
  return (row, path) => {
    const open = path === null ? `<${name}>` : start + path + target + ">";
    return open + encodeRows(row[expanded.cell], encodeRecord) + `</${name}>`;
  };
}

function encodeRows(cell: Row[number] | undefined, encodeRecord: RowEncoder): string {
  if (!Array.isArray(cell)) return "";
  let text = "";
  for (const row of cell) text += encodeRecord(row);
  return text;
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
