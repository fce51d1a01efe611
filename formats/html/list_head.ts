/**
 * The header row of a list: sorting, and a menu for each column.
 *
 * @module
 */

import type { Page, PageList, ShapeColumn } from "@/plugins/contract.ts";
import { isNumeric } from "@/plugins/kit/formats.ts";
import { icon } from "./icons.ts";
import { listLink } from "./list_pager.ts";
import { escapeHtml } from "./text.ts";

/** A header cell; `index` is unique on the page. The first column stays in sight. */
export function showHeader(
  column: ShapeColumn,
  index: number,
  { page, list, first }: { readonly page: Page; readonly list: PageList; readonly first: boolean },
): string {
  const { name, comment, type, isKey } = column;
  const key = list.sort.find((each) => each.column === name);
  const sorted = key ? ` aria-sort="${key.descending ? "descending" : "ascending"}"` : "";
  const classes = [...(isNumeric(type) ? ["number"] : []), ...(first ? ["first"] : [])].join(" ");
  const look = classes === "" ? "" : ` class="${classes}"`;
  const title = comment === undefined ? "" : ` title="${escapeHtml(comment)}"`;
  const to = sortLink(page, name, key?.descending === false);
  const mark = key ? icon(key.descending ? "down" : "up") : "";
  const hint = isKey ? '<span class="key" title="Part of the key">key</span>' : "";
  return `<th scope="col"${look}${sorted}${title}><a class="sort" href="${escapeHtml(to)}">${
    escapeHtml(name)
  }${mark}</a>` +
    `${hint}${menuButton(name, index, list)}</th>`;
}

/** Tables with more columns have no menus: they would be most of the page. The forms above the list do the same. */
const MOST_MENUS = 60;

/** Whether the columns of a list have menus. */
export function hasMenus({ columns }: PageList): boolean {
  return columns.length <= MOST_MENUS;
}

function menuButton(name: string, index: number, list: PageList): string {
  if (!hasMenus(list)) return "";
  return `<button type="button" class="plain" popovertarget="c${index}" aria-label="${
    escapeHtml(`Menu of column ${name}`)
  }">${icon("menu")}</button>`;
}

/** The menu of a column. It stands outside the table, which cuts off what does not fit. */
export function showColumnMenu(
  { name }: ShapeColumn,
  index: number,
  { page, list }: { readonly page: Page; readonly list: PageList },
): string {
  const isOnly = list.columns.filter(({ isShown }) => isShown).length < 2;
  const links: (readonly [string, string])[] = [
    ["Sort ascending", sortLink(page, name, false)],
    ["Sort descending", sortLink(page, name, true)],
    ...(list.sort.length > 0
      ? [["Do not sort", listLink(page, { sort: undefined, offset: undefined })] as const]
      : []),
    ["Filter…", filterLink(page, name)],
    ...(list.summaryOf === undefined
      ? []
      : [["Summary and chart", list.summaryOf + encodeURIComponent(name.toWellFormed())] as const]),
    ...(isOnly ? [] : [["Hide", page.link("html", { "ui.hide": name })] as const]),
  ];
  const items = links.map(([label, href]) => `<li><a href="${escapeHtml(href)}">${label}</a></li>`);
  return `<div class="popover" popover="auto" id="c${index}"><ul>${items.join("")}</ul></div>\n`;
}

function sortLink(page: Page, name: string, descending: boolean): string {
  return listLink(page, { sort: (descending ? "-" : "") + name, offset: undefined });
}

/** Opens the filter form with this column chosen. */
function filterLink(page: Page, name: string): string {
  return page.link("html", { "ui.filter": name });
}
