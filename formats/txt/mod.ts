/**
 * Column-aligned plain text, to read in a terminal. Alignment has to measure rows before the first one is
 * written, so only the first rows are measured: a list may be longer than the memory.
 *
 * @module
 */

import type {
  Body,
  Document,
  Format,
  FormatPlugin,
  PluginSettings,
  Row,
  SettingValues,
  Shape,
  WriteOptions,
  Writer,
} from "@/plugins/contract.ts";
import { problemTable } from "@/plugins/kit/formats.ts";
import { layOut, type Line, measure, textCell, underline } from "./table.ts";

const settings = {
  nil_visible: { type: "boolean", default: false, sentence: "Whether TXT shows values that are NULL." },
} as const satisfies PluginSettings;

export default { contract: 2, kind: "format", name: "txt", settings, setup } satisfies FormatPlugin;

function setup({ nil_visible: nilVisible }: SettingValues<typeof settings>): Format {
  const nullText = (options: WriteOptions) => (options.nilVisible ?? nilVisible) ? options.nullMarker : "";
  return {
    contentTypes: ["text/plain"],
    accepts: [],
    writer: (shape, options) => compileWriter(shape, options.stream, nullText(options)),
    document: (document, options) => writeTable(document, nullText(options)),
    problem: (problem) => writeTable(problemTable(problem), ""),
  };
}

/** The number of rows that determine the widths. */
const SAMPLE = 5000;
/** The rows that are measured of a stream, which begins early. */
const STREAM_SAMPLE = 50;
/** Characters of the rows that are measured. */
const MOST_TEXT = 2 ** 23;

/** The line of a row; `index` counts the rows of this answer. */
type LineMaker = (row: Row, index: number) => Line;

/** Compiles a shape. `nullText` stands for NULL. */
function compileWriter(shape: Shape, stream: boolean, nullText: string): Writer {
  const sample = stream ? STREAM_SAMPLE : SAMPLE;
  if (shape.form === "columns") return () => alignedBody([], sample, transposedLines(shape, nullText));
  const { columns } = shape;
  const names = columns.map((column) => textCell(column.name, column.type, nullText));
  // A statement without columns gives no lines.
  const header = names.length > 0 ? [names] : [];
  const lineOf = (row: Row): Line =>
    columns.map((column, index) => textCell(row[index], column.type, nullText));
  return () => alignedBody(header, sample, lineOf);
}

/** The whole table of a document. A number among texts would lean to the right, far from its name. */
function writeTable({ columns, rows }: Pick<Document, "columns" | "rows">, nullText: string): string {
  const hasText = columns.map((_, at) => rows.some((row) => typeof row[at] === "string"));
  const lineOf = (row: Row) =>
    row.map((cell, at) =>
      textCell(hasText[at] && typeof cell === "number" ? String(cell) : cell, undefined, nullText)
    );
  const [header, lines] = [lineOf(columns), rows.map(lineOf)];
  const widths = measure([header, ...lines]);
  return layOut(header, widths) + underline(widths) + lines.map((line) => layOut(line, widths)).join("");
}

/** Each row is a column: its name, then its values, aligned by the column's type. */
function transposedLines(shape: Shape, nullText: string): LineMaker {
  return (row, index) => {
    const [name, ...values] = row;
    const type = shape.columns[index]?.type;
    return [textCell(name, undefined, ""), ...values.map((value) => textCell(value, type, nullText))];
  };
}

function alignedBody(header: readonly Line[], sample: number, lineOf: LineMaker): Body {
  let [count, text] = [0, 0];
  let waiting: Line[] = [];
  let widths: readonly number[] | undefined;

  function settle(): string {
    const settled = widths = measure([...header, ...waiting]);
    const lines = waiting;
    waiting = [];
    const top = header.map((line) => layOut(line, settled) + underline(settled)).join("");
    return top + lines.map((line) => layOut(line, settled)).join("");
  }

  return {
    begin: () => "",
    row(row) {
      const line = lineOf(row, count++);
      if (widths !== undefined) return layOut(line, widths);
      waiting.push(line);
      for (const cell of line) text += cell.text.length;
      return waiting.length < sample && text < MOST_TEXT ? "" : settle();
    },
    end: () => widths === undefined ? settle() : "",
  };
}
