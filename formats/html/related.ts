/**
 * The first related records on the page of a record, as a table.
 *
 * @module
 */

import type { Cell, RelationColumn, RelationSome, Row, ShapeRelation } from "@/plugins/contract.ts";
import { isNumeric } from "@/plugins/kit/formats.ts";
import { labelText, relatedRow } from "./list.ts";
import { numberClass } from "./table.ts";
import { escapeHtml, link, markOdd, showCount } from "./text.ts";
import { linkText, LONGEST, showValue } from "./value.ts";

/** The section of a to-many relation of a record; `path` is that of the record. */
export function showMany(
  row: Row,
  { name, title = name, segment, some }: ShapeRelation,
  path: string | null,
  id: string,
): string {
  if (!some || path === null) return "";
  const rows = rowsOf(row[some.cell]);
  if (rows.length === 0) return "";
  const all = `${path}/${segment}.html`;
  const count = rows.length > some.countedUpTo
    ? `More than ${showCount(some.countedUpTo)}`
    : `All ${rows.length}`;
  const more = rows.length > some.most ? `<p>${link(all, `${count} records of ${title}`)}</p>\n` : "";
  return `<section aria-labelledby="${id}">\n<h2 id="${id}">${link(all, title)}</h2>\n${
    showTable(rows, some, id)
  }${more}</section>\n`;
}

/** The to-many relations that lead to no record, in one line: a record may have a hundred of them. */
export function showNone(row: Row, relations: readonly ShapeRelation[], path: string | null): string {
  const empty = relations.filter(({ some }) => some && rowsOf(row[some.cell]).length === 0);
  if (empty.length === 0 || path === null) return "";
  const links = empty.map(({ name, title = name, segment }) => link(`${path}/${segment}.html`, title));
  return `<section aria-labelledby="none">\n<h2 id="none">No related records</h2>\n<p>${
    links.join(", ")
  }</p>\n</section>\n`;
}

function showTable(rows: readonly Row[], some: RelationSome, id: string): string {
  const { columns } = some;
  const head = columns.map(({ name, type, label }) =>
    `<th scope="col"${numberClass(isNumeric(type) && !label)}>${escapeHtml(name)}</th>`
  );
  const lead = leadOf(some);
  // Without a column of its own, as in a table between two others, the record has a link beside the columns.
  const open = lead < 0 ? '<th scope="col"><span class="hidden">Record</span></th>' : "";
  const body = rows.slice(0, some.most).map((row) => {
    const to = some.locate(row);
    const cells = columns.map((column, index) => showCell(row, column, index === lead ? to : null));
    const own = lead < 0 ? `<td>${to === null ? "" : link(`${to}.html`, "Open")}</td>` : "";
    return `<tr>${cells.join("")}${own}</tr>\n`;
  });
  return `<div class="scroll" role="group" aria-labelledby="${id}" tabindex="0">\n<table>\n` +
    `<thead><tr>${head.join("")}${open}</tr></thead>\n<tbody>\n${body.join("")}</tbody>\n</table>\n</div>\n`;
}

/** The column that leads to the record: the first of its label or key that leads nowhere else. */
function leadOf({ columns, texts }: RelationSome): number {
  return columns.findIndex(({ cell, label }) => label === undefined && texts.includes(cell));
}

/** `to`: the path that the value leads to. */
function showCell(row: Row, { type, cell, label }: RelationColumn, to: string | null): string {
  const value = row[cell];
  const related = label && relatedRow(row[label.cell]);
  const path = related ? label.locate(related) : to;
  if (path === null) {
    const shown = showValue(value, { type, longest: LONGEST });
    return `<td${numberClass(isNumeric(type) && !label)}>${shown}</td>`;
  }
  const text = related ? labelText(related, label) || linkText(value) : labelText(row, { texts: [cell] });
  return `<td${numberClass(isNumeric(type) && !related)}><a href="${path}.html">${
    text === "" ? showValue(value, { type }) : markOdd(text)
  }</a></td>`;
}

function rowsOf(cell: Cell | undefined): readonly Row[] {
  return Array.isArray(cell) ? cell : [];
}
