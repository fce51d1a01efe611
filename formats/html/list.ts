/**
 * Pages of lists: a table whose rows lead to their records, with the tools to change what it shows.
 *
 * @module
 */

import type {
  Body,
  Cell,
  Page,
  PageList,
  RelationLabel,
  Row,
  Shape,
  ShapeColumn,
  ShapeRelation,
} from "@/plugins/contract.ts";
import { isNumeric } from "@/plugins/kit/formats.ts";
import { hasMenus, showColumnMenu, showHeader } from "./list_head.ts";
import { showPager } from "./list_pager.ts";
import { CLOSE_PAGE } from "./page.ts";
import { showPrograms } from "./programs.ts";
import { CLOSE_TABLE } from "./table.ts";
import { escapeHtml, link, showCount } from "./text.ts";
import { LONGEST, markOdd, showValue } from "./value.ts";

/** Writes one cell of a row; `path` is the record's, and `place` the end of a link to it. */
type CellWriter = (row: Row, path: string | null, place: string) => string;

/** Compiles the table of a list; the facts of the page come with each answer. */
export function compileList(shape: Shape): (page: Page, list: PageList) => Body {
  const lead = leadOf(shape);
  const cells = shape.columns.map((column, index) => compileCell(shape, column, index, index === lead));
  const links = shape.locate === undefined ? [] : shape.toMany.map(compileMany);
  const headers = shape.locate === undefined ? "" : shape.toMany.map(manyHeader).join("");
  const { locate } = shape;
  return (page, list) => {
    let written = 0;
    const start = escapeHtml(list.place);
    const head = (column: ShapeColumn, index: number) =>
      showHeader(column, index, { page, list, first: index === lead });
    return {
      begin: () =>
        '<section class="scroll tall" aria-labelledby="caption" tabindex="0">\n<table>\n' +
        `<caption class="hidden" id="caption">${escapeHtml(`Records of ${shape.name}`)}</caption>\n` +
        `<thead><tr>${shape.columns.map(head).join("")}${headers}</tr></thead>\n<tbody>\n`,
      row(row) {
        written++;
        const path = locate === undefined ? null : locate(row);
        let text = "<tr>";
        const place = start + String(page.offset + written - 1);
        for (const cell of cells) text += cell(row, path, place);
        for (const cell of links) text += cell(row, path, place);
        return text + "</tr>\n";
      },
      end: () =>
        CLOSE_TABLE + (hasMenus(list) ? shape.columns : []).map((column, index) =>
          showColumnMenu(column, index, { page, list })
        ).join("") +
        showPager(page, written) + showPrograms(page) + CLOSE_PAGE,
    };
  };
}

/** The column that leads to the record and stays in sight: the first text that is no key, else the key. */
function leadOf({ columns, locate, toOne }: Shape): number {
  if (locate === undefined) return -1;
  const behind = new Set(toOne.flatMap(({ label }) => label ? [label.column] : []));
  const text = columns.findIndex(({ type, isKey }, index) => type === "text" && !isKey && !behind.has(index));
  if (text >= 0 && text < 4) return text;
  return Math.max(0, columns.findIndex(({ isKey }) => isKey));
}

function compileCell(shape: Shape, column: ShapeColumn, index: number, isLead: boolean): CellWriter {
  const label = shape.toOne.find((relation) => relation.label?.column === index)?.label;
  if (label) return labelCell(label, index, column, isLead);
  const style = { type: column.type, longest: LONGEST };
  const numeric = isNumeric(column.type);
  const open = openCell(numeric, isLead);
  const isNumber = (value: Cell | undefined) =>
    numeric || typeof value === "number" || typeof value === "bigint";
  const right = openCell(true, isLead);
  const segment = encodeURIComponent(column.name.toWellFormed());
  const leads = isLead || column.isKey;
  return (row, path, place) => {
    const value = row[index];
    const start = isNumber(value) ? right : open;
    if (leads && path !== null) return `${start}${leadLink(path + ".html" + place, value, column)}</td>`;
    const whole = path === null ? undefined : `${path}/${segment}.html`;
    return `${start}${showValue(value, style, whole)}</td>`;
  };
}

function openCell(isNumber: boolean, isLead: boolean): string {
  const classes = [...(isNumber ? ["number"] : []), ...(isLead ? ["first"] : [])].join(" ");
  return classes === "" ? "<td>" : `<td class="${classes}">`;
}

/** A value that links to its record, whatever it is. */
function leadLink(href: string, value: Cell | undefined, { type }: ShapeColumn): string {
  const text = value === "" || value === null || value === undefined
    ? value === "" ? "empty" : "NULL"
    : typeof value === "string"
    ? value.length > LONGEST ? `${value.slice(0, LONGEST).toWellFormed()}…` : value
    : undefined;
  const shown = text === undefined ? showValue(value, { type }) : markOdd(text);
  return `<a href="${href}">${shown}</a>`;
}

/** A foreign key as the label of its record, with the key in the tool tip. */
function labelCell(label: RelationLabel, index: number, column: ShapeColumn, isLead: boolean): CellWriter {
  const style = { type: column.type, longest: LONGEST };
  const open = openCell(false, isLead);
  return (row) => {
    const value = row[index];
    const related = relatedRow(row[label.cell]);
    const path = related && label.locate(related);
    if (!related || path === null || path === undefined) return `${open}${showValue(value, style)}</td>`;
    const text = labelText(related, label) || String(value);
    return `${open}<a href="${path}.html" title="${escapeHtml(`${column.name} ${String(value)}`)}">${
      markOdd(text)
    }</a></td>`;
  };
}

/** The related record's label as text; empty without one. */
export function labelText(related: Row, { texts }: Pick<RelationLabel, "texts">): string {
  const parts = texts.map((position) => related[position]).filter((part) =>
    part !== null && part !== undefined
  );
  const text = parts.map(String).filter((part) => part.trim() !== "").join(" ");
  return text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text;
}

/** The one row in the cell of an expanded to-one relation. */
export function relatedRow(cell: Cell | undefined): Row | undefined {
  return Array.isArray(cell) ? cell[0] : undefined;
}

function manyHeader({ name, count }: ShapeRelation): string {
  return `<th scope="col" class="${count === undefined ? "" : "number "}many">${escapeHtml(name)}</th>`;
}

/** A link to the related records, with their number where they were counted. */
function compileMany({ name, segment, count }: ShapeRelation): CellWriter {
  return (row, path) => {
    const number = count === undefined ? undefined : row[count];
    if (path === null) return '<td class="many"></td>';
    if (typeof number !== "number") return `<td class="many">${link(`${path}/${segment}.html`, name)}</td>`;
    return `<td class="number many">${
      number === 0 ? "0" : link(`${path}/${segment}.html`, showCount(number))
    }</td>`;
  };
}
