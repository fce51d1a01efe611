/**
 * CSV by RFC 4180: comma, double quotes, CRLF; without references and related records.
 *
 * @module
 */

import type {
  BodyValue,
  Cell,
  CellInput,
  DocumentShape,
  Format,
  FormatPlugin,
  PluginSettings,
  SettingValues,
  Shape,
  Value,
  WriteOptions,
  Writer,
} from "@/plugins/contract.ts";
import { problemTable } from "@/plugins/kit/formats.ts";
import { compileField, encodeCell } from "./field.ts";
import { readBody, respell } from "./read.ts";

const settings = {
  headers_by_default: {
    type: "boolean",
    default: true,
    sentence: "Whether CSV starts with a row of column names.",
  },
} as const satisfies PluginSettings;

export default { contract: 2, kind: "format", name: "csv", settings, setup } satisfies FormatPlugin;

function setup({ headers_by_default: headersByDefault }: SettingValues<typeof settings>): Format {
  return {
    contentTypes: ["text/csv"],
    parameters: {
      delimiter: { type: "text", values: [",", ";"], parts: ["answer"] },
      bom: { type: "boolean", parts: ["answer"] },
      escape_formulas: { type: "boolean", parts: ["answer"] },
    },
    writer: (shape, options) => compileWriter(shape, options, options.headers ?? headersByDefault),
    document: ({ columns, rows }, options) =>
      markOf(options) + writeLines(options.headers ?? headersByDefault ? [columns, ...rows] : rows, options),
    problem: (problem) => {
      const { columns, rows } = problemTable(problem);
      return writeLines([columns, ...rows]);
    },
    read: readBody,
    shows,
    isAmbiguous: (value, { csvNullStr }) => csvNullStr ? isEmpty(value) : value === "" || value === null,
    schema: writeSchema,
    documentSchema: writeSchema,
  };
}

/** Without a marker an empty field may be NULL or the empty text. */
function shows(cell: Value, value: BodyValue, { type, csvNullStr }: CellInput): boolean {
  if (csvNullStr && (cell === null || value === null)) return cell === value;
  return respell(encodeCell(cell), type) === (isEmpty(value) ? "" : value ?? "");
}

function isEmpty(value: BodyValue): boolean {
  return value !== null && typeof value === "object" && value.kind === "empty";
}

function compileWriter(shape: Shape, options: WriteOptions, headers: boolean): Writer {
  const { form, columns } = shape;
  // A statement without columns gives an empty answer, not a blank line.
  const header = headers && form !== "columns" && columns.length > 0 ? [columns.map(({ name }) => name)] : [];
  const begin = markOf(options) + writeLines(header, options);
  // Cells after the columns belong to relations, which CSV does not show.
  const row = lineEncoder(options, form === "columns" ? undefined : columns.length);
  const body = { begin: () => begin, row, end: () => "" };
  return () => body;
}

/** The mark tells spreadsheets that the text is Unicode; other charsets do not have it. */
function markOf({ parameters, charset }: WriteOptions): string {
  return parameters?.bom === true && charset.startsWith("utf-") ? "\ufeff" : "";
}

/** A line per column; types are those of this service, the same on every engine. */
function writeSchema({ columns }: Pick<DocumentShape, "columns">): string {
  const lines = columns.map(({ name, type, nullable, isKey }) => [name, type, nullable, isKey]);
  return writeLines([["name", "type", "nullable", "key"], ...lines]);
}

function writeLines(lines: readonly (readonly Cell[])[], options?: WriteOptions): string {
  const encode = lineEncoder(options);
  return lines.map((line) => encode(line)).join("");
}

/** The encoder of lines with `count` cells, or with all cells. */
function lineEncoder(
  { csvNullStr, nullMarker, parameters = {} }: Partial<WriteOptions> = {},
  count?: number,
): (cells: readonly Cell[]) => string {
  const { delimiter = ",", escape_formulas: escapeFormulas } = parameters;
  const encode = compileField(csvNullStr === true ? nullMarker : undefined, escapeFormulas === true);
  return (cells) => {
    const length = count ?? cells.length;
    let line = length === 0 ? "" : encode(cells[0]);
    for (let index = 1; index < length; index++) line += delimiter + encode(cells[index]);
    // A line of one empty field would be blank, and readers skip blank lines; quoted it is a record.
    return line === "" ? '""\r\n' : line + "\r\n";
  };
}
