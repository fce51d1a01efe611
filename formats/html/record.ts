/**
 * Pages of one record: names and values below each other, and the first related records.
 *
 * @module
 */

import type { Body, Cell, Page, Row, Shape } from "@/plugins/contract.ts";
import { showExports } from "./exports.ts";
import { labelText, relatedRow } from "./list.ts";
import { type Action, openPage, type PageFrame } from "./page.ts";
import { showPrograms } from "./programs.ts";
import { showMany, showNone } from "./related.ts";
import { escapeHtml, link, markOdd } from "./text.ts";
import { isInUtc, lengthIn, linkText, showValue } from "./value.ts";
import { showPicture } from "./value_page.ts";

/** Longest text of a value in characters; a longer one has a page of its own. */
const LONGEST = 5000;

/** The body of the page; the title is the record's label, so everything is written with its row. */
export function recordBody(shape: Shape, frame: PageFrame): Body {
  return { begin: () => "", row: (row) => writeRecord(row, shape, frame), end: () => "" };
}

function writeRecord(row: Row, shape: Shape, frame: PageFrame): string {
  const { page } = frame;
  const path = shape.locate?.(row) ?? null;
  const facts = shape.columns.map((_, index) => showFact(row, index, { shape, path, page }));
  const many = shape.toMany.map((relation, index) => showMany(row, relation, path, `r${index}`));
  const none = showNone(row, shape.toMany, path);
  return openPage({
    title: titleOf(row, shape),
    actions: actionsOf(page),
    tools: showExports(page, shape.name),
  }, frame) +
    (shape.comment === undefined ? "" : `<p class="lead">${markOdd(shape.comment)}</p>\n`) +
    showNeighbours(page) +
    `<dl class="facts">\n${facts.join("")}</dl>\n${many.join("")}${none}${showPrograms(page)}`;
}

function actionsOf({ record: { edit, copy, remove } = {} }: Page): readonly Action[] {
  return [
    { label: "Edit", href: edit },
    { label: "Copy", href: copy },
    { label: "Delete", href: remove, tone: "problem" },
  ];
}

/** The way to the other records of the list that the reader came from. */
function showNeighbours({ record: { previous, next, list } = {} }: Page): string {
  if (next === undefined || list === undefined) return "";
  const links = [
    ...(previous === undefined
      ? []
      : [`<li><a rel="prev" href="${escapeHtml(previous)}">‹ Previous</a></li>`]),
    `<li>${link(list, "Back to the list")}</li>`,
    `<li><a rel="next" href="${escapeHtml(next)}">Next ›</a></li>`,
  ];
  return `<nav class="pager" aria-label="Records of the list"><ul>${links.join("")}</ul></nav>\n`;
}

/** The record's label, else the table's name with the key. */
function titleOf(row: Row, { name, columns, label = [] }: Shape): string {
  const text = labelText(row, { texts: label });
  if (text !== "") return text;
  const key = columns.flatMap(({ isKey }, index) => isKey ? [linkText(row[index])] : []);
  return `${name} ${key.join(", ")}`.trim();
}

function showFact(
  row: Row,
  index: number,
  { shape: { columns, toOne }, path, page }: {
    readonly shape: Shape;
    readonly path: string | null;
    readonly page: Page;
  },
): string {
  const column = columns[index];
  if (!column) return "";
  const label = toOne.find((relation) => relation.label?.column === index)?.label;
  const related = label && relatedRow(row[label.cell]);
  const to = label && related && label.locate(related);
  const whole = path === null ? undefined : `${path}/${encodeURIComponent(column.name.toWellFormed())}.html`;
  const length = lengthIn(row, column);
  const value = showValue(row[index], { type: column.type, longest: LONGEST, length }, whole);
  const picture = whole === undefined || length !== undefined
    ? ""
    : previewOf(row[index], column.name, { whole, page });
  let shown = value;
  if (related && label && typeof to === "string") {
    const text = labelText(related, label) || linkText(row[index]);
    shown = link(`${to}.html`, text) + (markOdd(text) === value ? "" : ` <span class="more">${value}</span>`);
  }
  const hints = [column.comment, isInUtc(column) ? "In UTC" : undefined]
    .map((hint) => hint === undefined ? "" : `<p class="hint">${escapeHtml(hint)}</p>`);
  return `<dt>${escapeHtml(column.name)}</dt><dd>${shown}${picture}${hints.join("")}</dd>\n`;
}

/** Larger pictures have a page of their own only. */
const LARGEST = 256 * 1024;

/** `whole`: the address of the value's page. */
function previewOf(
  value: Cell | undefined,
  name: string,
  { whole, page: { prefix } }: { readonly whole: string; readonly page: Page },
): string {
  if (!(value instanceof Uint8Array) || value.length > LARGEST) return "";
  const address = `${prefix}/ui/raw${whole.slice(prefix.length, -".html".length)}`;
  return showPicture(value, name, escapeHtml(address));
}
