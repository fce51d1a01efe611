/**
 * Chooses the page of an answer with records: a list, a record, or a table with related records inside.
 *
 * @module
 */

import type { Body, Page, PageList, Shape, WriteOptions, Writer } from "@/plugins/contract.ts";
import { showExports } from "./exports.ts";
import { compileList } from "./list.ts";
import { showListTools } from "./list_tools.ts";
import { closePage, openPage, type PageFrame, type Site } from "./page.ts";
import { recordBody } from "./record.ts";
import { showAgain } from "./run.ts";
import { compileNested, openTable, transposedBody } from "./table.ts";
import { beginning, markOdd } from "./text.ts";
import { valueBody } from "./value_page.ts";

const CAPTIONS: Readonly<Record<Shape["form"], string>> = {
  records: "Records of",
  record: "Record of",
  values: "Values of",
  value: "Value of",
  columns: "Columns of",
};

/** Compiles the writer of a shape; the frame of the page depends on the request. */
export function compileWriter(shape: Shape, { charset }: WriteOptions, site: Site): Writer {
  const makeContent = compileContent(shape);
  const close = closePage(site);
  return (page) => {
    const body = makeContent({ ...site, charset, page });
    return { ...body, end: () => `${body.end()}${close}` };
  };
}

/** Everything but the end of the page. */
function compileContent(shape: Shape): (frame: PageFrame) => Body {
  const comment = shape.comment === undefined ? "" : `<p class="lead">${markOdd(shape.comment)}</p>\n`;
  const makeList = compileList(shape);
  const makeTable = shape.form === "columns" ? transposedBody : compileNested(shape);
  const caption = `${CAPTIONS[shape.form]} ${shape.name}`;
  return (frame) => {
    const { page } = frame;
    const { list, record } = page;
    if (record) return recordBody(shape, frame);
    if (shape.form === "value") return valueBody(shape, frame);
    const where = { ...whereOf(list), ...valuesOf(page, shape) };
    const heading = { title: shape.name, actions: page.actions ?? [], ...where };
    if (!list) {
      const tools = page.run ? showAgain(page.run, page) : showExports(page, shape.name);
      const start = openPage({ ...heading, tools }, frame) + comment + openTable(caption);
      return startingWith(start, makeTable(page, shape));
    }
    return makeList(page, list, openPage(heading, frame) + comment + showListTools(page, list, shape));
  };
}

function whereOf({ filters = [] }: Partial<PageList> = {}): { readonly where?: string } {
  if (filters.length === 0) return {};
  // Only the beginning of a long sentence: the chips below have all filters.
  return { where: beginning(`where ${filters.map((filter) => filter.sentence).join(" and ")}`, 160) };
}

/** The values that a query was run with: the last of the breadcrumbs of its result. */
function valuesOf({ actions, crumbs }: Page, { name }: Shape): { readonly where?: string } {
  const { label = name } = crumbs.at(-1) ?? {};
  return actions === undefined || label === name ? {} : { where: label };
}

function startingWith(start: string, body: Body): Body {
  return { ...body, begin: () => start + body.begin() };
}
