/**
 * Rows as elements. Names are encoded once per shape; a row is one concatenation.
 *
 * @module
 */

import type { Pieces, Row, Shape, ShapeColumn, ShapeRelation, Writer } from "@/plugins/contract.ts";
import { flat } from "@/plugins/kit/formats.ts";
import type { Frame } from "./frame.ts";
import { encodeValue } from "./text.ts";

/** Pieces if the record has nested records. */
type RecordEncoder = (row: Row) => string | Pieces;

/** A part of a record with this path; null without a path. */
interface Part {
  text(row: Row, path: string | null): string;
}

/** A relation with its records. */
interface Nested {
  pieces(row: Row, path: string | null): Pieces;
}

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
  const [bare, referring, close] = [flat(`<${name}>`), flat(`<${name} href="`), flat(`</${name}>`)];
  const open = (path: string | null) => path === null ? bare : referring + path + '.json">';
  const relations = (list: readonly ShapeRelation[]) =>
    list
      .filter(({ expanded }) => locate !== undefined || expanded !== undefined)
      .map((relation) => compileRelation(relation, frame));
  const parts = [...relations(shape.toOne), compileColumns(shape.columns, frame), ...relations(shape.toMany)];
  const plain = parts.filter((part) => "text" in part);
  if (plain.length < parts.length) {
    return function* (row) {
      const path = locate?.(row) ?? null;
      yield open(path);
      for (const part of parts) {
        if ("text" in part) yield part.text(row, path);
        else yield* part.pieces(row, path);
      }
      yield close;
    };
  }
  return (row) => {
    const path = locate === undefined ? null : locate(row);
    let text = open(path);
    for (const part of plain) text += part.text(row, path);
    return text + close;
  };
}

function compileColumns(columns: readonly ShapeColumn[], frame: Frame): Part {
  const names = columns.map((column) => frame.encodeName(column.name));
  const starts = names.map((name) => flat(`<${name}>`));
  const ends = names.map((name) => flat(`</${name}>`));
  const nils = names.map((name) => frame.nilVisible ? flat(`<${name} xsi:nil="true"/>`) : "");
  // The two tags between two values as one text: the time of an answer grows with the number of its parts.
  const tags = starts.map((start, index) => flat(`${ends[index - 1] ?? ""}${start}`));
  const count = names.length;
  return {
    text(row) {
      let text = "";
      let end = "";
      for (let index = 0; index < count; index++) {
        const cell = row[index];
        if (cell === null || cell === undefined) {
          text = text + end + nils[index];
          end = "";
        } else {
          text = text + (end === "" ? starts[index] : tags[index]) + encodeValue(cell);
          end = ends[index] ?? "";
        }
      }
      return text + end;
    },
  };
}

/** A relation as a reference or, if expanded, with its records. */
function compileRelation(
  { name, segment, expanded, nullableKey = [] }: ShapeRelation,
  frame: Frame,
): Part | Nested {
  const tag = frame.encodeName(name);
  const start = flat(`<${tag} href="`);
  const [leaf, target] = [flat(`/${segment}.json"/>`), flat(`/${segment}.json">`)];
  if (expanded === undefined) {
    return { text: (_row, path) => path === null ? `<${tag}/>` : start + path + leaf };
  }
  const nil = frame.nilVisible ? `<${tag} xsi:nil="true"/>` : "";
  const encodeRecord = compileRecord(expanded.shape, frame);
  return {
    *pieces(row, path) {
      if (nullableKey.some((cell) => row[cell] === null)) return yield nil;
      yield path === null ? `<${tag}>` : start + path + target;
      yield* encodeRows(row[expanded.cell], encodeRecord);
      yield `</${tag}>`;
    },
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
function compileTransposed(frame: Frame): RecordEncoder {
  return (row) => {
    const name = frame.encodeName(String(row[0]));
    let text = `<${name}>`;
    for (let index = 1; index < row.length; index++) {
      const cell = row[index];
      text += cell === null ? '<value xsi:nil="true"/>' : `<value>${encodeValue(cell)}</value>`;
    }
    return `${text}</${name}>`;
  };
}
