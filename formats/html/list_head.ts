/**
 * The header row of a list: sorting, and a menu for each column.
 *
 * @module
 */

import type { Page, PageList, Shape, ShapeColumn } from "@/plugins/contract.ts";
import { isNumeric } from "@/plugins/kit/formats.ts";
import { icon } from "./icons.ts";
import { listLink } from "./list_pager.ts";
import { ELLIPSIS, escapeHtml } from "./text.ts";

/** The page whose header it is. */
interface ListPage {
  readonly page: Page;
  readonly list: PageList;
}

/** The header cells of all columns; the one at `lead` stays in sight. */
export function showHeaders(
  { columns, toOne }: Pick<Shape, "columns" | "toOne">,
  lead: number,
  { page, list }: ListPage,
): string {
  const named = new Set(toOne.map(({ label }) => label?.column));
  const sorted = new Map(list.sort.map(({ column, descending }) => [column, descending]));
  const withMenu = hasMenus(columns);
  return columns.map(({ name, comment, type, isKey }, index) => {
    const descending = sorted.get(name);
    const order = descending === undefined ? "" : ` aria-sort="${descending ? "descending" : "ascending"}"`;
    const classes = [
      ...(isNumeric(type) && !named.has(index) ? ["number"] : []),
      ...(index === lead ? ["first"] : []),
    ].join(" ");
    const look = classes === "" ? "" : ` class="${classes}"`;
    const title = comment === undefined ? "" : ` title="${escapeHtml(comment)}"`;
    const to = escapeHtml(sortLink(page, name, descending === false));
    const mark = descending === undefined ? "" : icon(descending ? "down" : "up");
    const hint = isKey ? '<span class="key" title="Part of the key">key</span>' : "";
    return `<th scope="col"${look}${order}${title}><a class="sort" href="${to}">${
      escapeHtml(name)
    }${mark}</a>` +
      `${hint}${withMenu ? menuButton(name, index) : ""}</th>`;
  }).join("");
}

/**
 * Tables with more columns have no menus: they would be most of the page. The
 * forms above the list do the same.
 */
const MOST_MENUS = 60;

/** Whether the columns of a list have menus. */
function hasMenus(columns: readonly ShapeColumn[]): boolean {
  return columns.length <= MOST_MENUS;
}

function menuButton(name: string, index: number): string {
  return `<button type="button" class="plain" popovertarget="c${index}" aria-label="${
    escapeHtml(`Menu of column ${name}`)
  }">${icon("menu")}</button>`;
}

/** The menus of all columns. They stand outside the table, which cuts off what does not fit. */
export function showColumnMenus(columns: readonly ShapeColumn[], { page, list }: ListPage): string {
  if (!hasMenus(columns)) return "";
  const isOnly = list.columns.filter(({ isShown }) => isShown).length < 2;
  const unsorted = list.sort.length === 0
    ? ""
    : item("Do not sort", listLink(page, { sort: undefined, offset: undefined }));
  return columns.map(({ name }, index) => {
    const summary = list.summaryOf === undefined
      ? ""
      : item("Summary and chart", list.summaryOf + encodeURIComponent(name.toWellFormed()));
    const items = item("Sort ascending", sortLink(page, name, false)) +
      item("Sort descending", sortLink(page, name, true)) + unsorted +
      (list.choices.length === 0 ? "" : item(`Filter${ELLIPSIS}`, page.link("html", { "ui.filter": name }))) +
      summary +
      (isOnly ? "" : item("Hide", page.link("html", { "ui.hide": name })));
    return `<div class="popover" popover="auto" id="c${index}"><ul>${items}</ul></div>\n`;
  }).join("");
}

function item(label: string, href: string): string {
  return `<li><a href="${escapeHtml(href)}">${label}</a></li>`;
}

function sortLink(page: Page, name: string, descending: boolean): string {
  return listLink(page, { sort: (descending ? "-" : "") + name, offset: undefined });
}
