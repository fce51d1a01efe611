/**
 * A page of records.
 *
 * @module
 */

import type { Body, Page, Shape, WriteOptions, Writer } from "@/plugins/contract.ts";
import { closePage, openPage } from "./page.ts";
import { showPaging } from "./paging.ts";
import { compileTable, transposedRow } from "./table.ts";
import { escapeHtml } from "./text.ts";

const CAPTIONS: Readonly<Record<Shape["form"], string>> = {
  records: "Records of",
  record: "Record of",
  values: "Values of",
  value: "Value of",
  columns: "Columns of",
};

/** Compiles the writer of a shape; the frame of the page depends on the request. */
export function compileWriter(shape: Shape, options: WriteOptions, product: string): Writer {
  const makeBody = shape.form === "columns" ? transposedBody : compileBody(shape);
  const caption = `${CAPTIONS[shape.form]} ${shape.name}`;
  return (page) => {
    const body = makeBody(page, shape);
    const start = openPage({ heading: shape.name, product, charset: options.charset, page, crumbs: true });
    return { ...body, begin: () => start + showComment(shape) + openTable(caption) + body.begin() };
  };
}

function showComment({ comment }: Shape): string {
  return comment === undefined ? "" : `<p>${escapeHtml(comment)}</p>\n`;
}

/** The start of a table that scrolls separately; the keyboard can focus it. */
export function openTable(caption: string): string {
  return '<div class="scroll" role="region" aria-labelledby="caption" tabindex="0">\n' +
    `<table>\n<caption id="caption">${escapeHtml(caption)}</caption>\n`;
}

/** The end of a table after {@link openTable}. */
export const CLOSE_TABLE = "</tbody>\n</table>\n</div>\n";

function compileBody(shape: Shape): (page: Page) => Body {
  const table = compileTable(shape);
  const list = shape.form === "records" || shape.form === "values";
  const begin = () => `${table.head}<tbody>\n`;
  return (page) => {
    let written = 0;
    return {
      begin,
      row: (row) => table.row(row, (list ? page.offset : 0) + ++written),
      end: () => CLOSE_TABLE + (list ? showPaging(page, written) : "") + closePage(page),
    };
  };
}

/** A row is a column here, so records are counted horizontally. */
function transposedBody(page: Page, shape: Shape): Body {
  let records = 0;
  let index = 0;
  return {
    begin: () => "<tbody>\n",
    row(row) {
      records = row.length - 1;
      return transposedRow(row, shape.columns[index++]?.type);
    },
    end: () => CLOSE_TABLE + showPaging(page, records) + closePage(page),
  };
}
