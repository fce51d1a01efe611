/**
 * Workbooks for spreadsheets, in both directions, with one sheet: a row of names, then a row for each record.
 * README.md describes how values are kept. Needs no package but one that the service has.
 *
 * @module
 */

import type { BodyValue, Cell, FormatPlugin, Row, Shape, WriteOptions } from "@/plugins/contract.ts";
import { cellXml } from "./cells.ts";
import { readBody } from "./read.ts";
import { SheetWriter } from "./workbook.ts";
import { joined } from "./zip.ts";

export default {
  contract: 2,
  kind: "format",
  name: "xlsx",
  setup: () => ({
    contentTypes: ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
    binary: true,
    writer: (shape, options) => () => {
      const sheet = new SheetWriter();
      const encode = rowEncoder(shape);
      return {
        begin: () => sheet.begin(headerOf(shape, options)),
        row: (row: Row) => sheet.row(encode(row)),
        end: () => sheet.end(),
      };
    },
    document: ({ columns, rows }) => workbookOf([columns, ...rows]),
    problem({ httpCode, description, urlTemplate }) {
      const more = urlTemplate === undefined ? [] : [["url_template", urlTemplate]];
      return workbookOf([["http_code", httpCode], ["description", description], ...more]);
    },
    read: readBody,
    shows: (cell, value, { type }) => cellXml(cell, type) === cellXml(cellOf(value), type),
  }),
} satisfies FormatPlugin;

/** The names of the columns; a transposed table has them in its rows. */
function headerOf({ form, columns }: Shape, { headers = true }: WriteOptions): readonly string[] | undefined {
  return headers && form !== "columns" ? columns.map(({ name }) => cellXml(name, "text")) : undefined;
}

/** Cells after the columns belong to relations, which are not shown. */
function rowEncoder({ form, columns }: Shape): (row: Row) => readonly string[] {
  if (form !== "columns") return (row) => columns.map(({ type }, at) => cellXml(row[at] ?? null, type));
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  return ([name = null, ...values]) => {
    const type = types.get(String(name)) ?? "any";
    return [cellXml(name, "text"), ...values.map((value) => cellXml(value, type))];
  };
}

/** A value of a body as the cell that is written like it. */
function cellOf(value: BodyValue): Cell {
  if (typeof value !== "object" || value === null) return value;
  return "text" in value ? Number(value.text) : null;
}

async function workbookOf(rows: readonly (readonly Cell[])[]): Promise<Uint8Array> {
  const sheet = new SheetWriter();
  const parts: Uint8Array[] = [await sheet.begin()];
  for (const row of rows) parts.push(await sheet.row(row.map((cell) => cellXml(cell, "any"))));
  parts.push(await sheet.end());
  return joined(parts);
}
