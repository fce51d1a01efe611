/**
 * CSV by RFC 4180: comma, double quotes, CRLF; without references and related records.
 *
 * @module
 */

import type {
  BodyValue,
  Cell,
  CellInput,
  Document,
  DocumentShape,
  Format,
  FormatHost,
  FormatPlugin,
  Problem,
  Row,
  Section,
  Shape,
  Value,
  WriteOptions,
  Writer,
} from "@/plugins/contract.ts";
import { compileField, type Delimiter, encodeCell, endLine, type FieldEncoder } from "./field.ts";
import { readBody } from "./read.ts";

export default { contract: 1, kind: "format", name: "csv", setup } satisfies FormatPlugin;

function setup(section: Section, _host: FormatHost): Format {
  const headersByDefault = section.headers_by_default !== false;
  return {
    contentTypes: ["text/csv"],
    writer: (shape, options) => compileWriter(shape, options, options.headers ?? headersByDefault),
    document: (document, options) => writeDocument(document, options, options.headers ?? headersByDefault),
    problem: writeProblem,
    read: readBody,
    shows,
    isAmbiguous: (value, { csvNullStr }) => csvNullStr ? isEmpty(value) : value === "" || value === null,
    schema: writeSchema,
    documentSchema: writeSchema,
  };
}

/** Without a marker an empty field may be NULL or the empty text. */
function shows(cell: Value, value: BodyValue, { csvNullStr }: CellInput): boolean {
  if (csvNullStr && (cell === null || value === null)) return cell === value;
  return encodeCell(cell) === (isEmpty(value) ? "" : value ?? "");
}

function isEmpty(value: BodyValue): boolean {
  return value !== null && typeof value === "object" && value.kind === "empty";
}

function compileWriter(shape: Shape, options: WriteOptions, headers: boolean): Writer {
  const { delimiter = "," } = options;
  const encode = encoderFor(options);
  // A statement without columns gives an empty answer, not a blank line.
  const header = headers && shape.form !== "columns" && shape.columns.length > 0
    ? encodeLine(shape.columns.map((column) => column.name), encode, delimiter)
    : "";
  const begin = markOf(options) + header;
  const count = shape.columns.length;
  const body = {
    begin: () => begin,
    row: shape.form === "columns"
      ? (row: Row) => encodeLine(row, encode, delimiter)
      : (row: Row) => encodeRecord(row, { count, encode, delimiter }),
    end: () => "",
  };
  return () => body;
}

function writeDocument(document: Document, options: WriteOptions, headers: boolean): string {
  const encode = encoderFor(options);
  const lines = headers ? [document.columns, ...document.rows] : document.rows;
  return markOf(options) + lines.map((line) => encodeLine(line, encode, options.delimiter ?? ",")).join("");
}

/** The mark tells spreadsheets that the text is Unicode; other charsets do not have it. */
function markOf({ bom, charset }: WriteOptions): string {
  return bom === true && charset.startsWith("utf-") ? "\ufeff" : "";
}

function writeProblem(problem: Problem): string {
  const { httpCode, description, urlTemplate } = problem;
  const encode = compileField(undefined);
  const names = ["http_code", "description"];
  if (urlTemplate === undefined) {
    return encodeLine(names, encode) + encodeLine([httpCode, description], encode);
  }
  return encodeLine([...names, "url_template"], encode) +
    encodeLine([httpCode, description, urlTemplate], encode);
}

/** A line per column; types are those of this service, the same on every engine. */
function writeSchema({ columns }: Pick<DocumentShape, "columns">): string {
  const encode = compileField(undefined);
  const lines = columns.map(({ name, type, nullable, isKey }) => [name, type, nullable, isKey]);
  return [["name", "type", "nullable", "key"], ...lines].map((line) => encodeLine(line, encode)).join("");
}

function encoderFor(options: WriteOptions): FieldEncoder {
  return compileField(options.csvNullStr === true ? options.nullMarker : undefined);
}

/** Cells after the columns belong to relations, which CSV does not show. */
function encodeRecord(
  row: Row,
  { count, encode, delimiter }: {
    readonly count: number;
    readonly encode: FieldEncoder;
    readonly delimiter: Delimiter;
  },
): string {
  let line = count === 0 ? "" : encode(row[0]);
  for (let index = 1; index < count; index++) line += delimiter + encode(row[index]);
  return endLine(line);
}

function encodeLine(cells: readonly Cell[], encode: FieldEncoder, delimiter: Delimiter = ","): string {
  return endLine(cells.map(encode).join(delimiter));
}
