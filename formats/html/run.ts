/**
 * The result of a query that a form has run: the forms that run it again.
 *
 * @module
 */

import type { Page, PageRun } from "@/plugins/contract.ts";
import { icon } from "./icons.ts";
import { DASH, escapeHtml, showCount } from "./text.ts";
import { showPageForm } from "./view_form.ts";

/** The form for other values, a file or a chart. */
export function showAgain({ again }: PageRun, page: Page): string {
  const before = (again.before ?? []).map((block) =>
    block.kind === "text" ? `<p class="text">${escapeHtml(block.text)}</p>\n` : ""
  );
  return `<details class="panel end"><summary>${icon("export")}Run again or export</summary>` +
    `<div class="drop-in">${showPageForm(again, "again", page, before.join(""))}</div></details>\n`;
}

/** `1–1,000 of 2,500`, and the way to the other rows: the query runs again if it only reads. */
export function showRange(page: Page, { others, before }: PageRun, rows: number): string {
  const { total = rows } = page;
  const end = before + rows;
  const range = rows === 0
    ? "No rows"
    : `${showCount(before + 1)}${DASH}${showCount(end)} of ${showCount(total)}`;
  const places = [
    ...(before > 0 ? [{ label: "First rows", place: 0 }] : []),
    ...(end < total ? [{ label: "Next rows", place: end }] : []),
  ];
  if (places.length === 0) return `<div class="pager"><p>${range}</p></div>\n`;
  if (!others) {
    const why = "the page has no room for more, and the query may change data: only a file has all rows.";
    return `<div class="pager"><p>${range}: ${why}</p></div>\n`;
  }
  const buttons = places.map(({ label, place }) => {
    return { label, name: "ui.offset", value: String(place), tone: "plain" as const };
  });
  return `<div class="pager"><p>${range}</p>${showPageForm({ ...others, buttons }, "others", page)}</div>\n`;
}
