/**
 * The header row of a list: sorting, and a menu for each column.
 *
 * @module
 */

import type { Page, PageList, Shape, ShapeColumn } from "@/plugins/contract.ts";
import { isNumeric } from "@/plugins/kit/formats.ts";
import { icon } from "./icons.ts";
import { cutLink, listLink } from "./list_pager.ts";
import { ELLIPSIS, escapeHtml, escapeLabel } from "./text.ts";

/** The page whose header it is. */
interface ListPage {
  readonly page: Page;
  readonly list: PageList;
}

/** The columns of a list, with the labels behind its foreign keys. */
type ListColumns = Pick<Shape, "columns" | "toOne">;

/** Compiles the header cells of all columns; the one at `lead` stays in sight. */
export function compileHeaders({ columns, toOne }: ListColumns, lead: number): (shown: ListPage) => string {
  const labels = new Map(toOne.map(({ label }) => [label?.column, label]));
  const withMenu = hasMenus(columns);
  const parts = columns.map(({ name, comment, type, isKey }, index) => {
    const classes = [
      ...(isNumeric(type) && !labels.has(index) ? ["number"] : []),
      ...(index === lead ? ["first"] : []),
    ].join(" ");
    const hint = isKey ? '<span class="key" title="Part of the key">key</span>' : "";
    const order = labels.get(index)?.order;
    return {
      name,
      order,
      encoded: encodeOrder(name, order),
      start: `<th scope="col"${classes === "" ? "" : ` class="${classes}"`}`,
      link: `${comment === undefined ? "" : ` title="${escapeLabel(comment)}"`}><a class="sort" href="`,
      label: `">${escapeHtml(name)}`,
      end: `</a>${hint}${withMenu ? menuButton(name, index) : ""}</th>`,
    };
  });
  return ({ page, list }) => {
    const sorted = new Map(list.sort.map(({ column, descending }) => [column, descending]));
    const [before, after] = sortLink(page);
    let text = "";
    for (const { name, order = name, encoded, start, link, label, end } of parts) {
      const descending = sorted.get(order) ?? sorted.get(name);
      if (descending === undefined) {
        text += start + link + before + encoded + after + label + end;
        continue;
      }
      text += `${start} aria-sort="${descending ? "descending" : "ascending"}"${link}${before}` +
        `${descending ? "" : "-"}${encoded}${after}${label}${icon(descending ? "down" : "up")}${end}`;
    }
    return text;
  };
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
    escapeLabel(`Menu of column ${name}`)
  }">${icon("menu")}</button>`;
}

/** Compiles the menus of all columns. They stand outside the table, which cuts off what does not fit. */
export function compileMenus({ columns, toOne }: ListColumns): (shown: ListPage) => string {
  if (!hasMenus(columns)) return () => "";
  const orders = new Map(toOne.map(({ label }) => [label?.column, label?.order]));
  const names = columns.map(({ name, type }, index) => {
    // Bytes and documents are not compared.
    const isComparable = type !== "binary" && type !== "json";
    return { name: encodeName(name), order: encodeOrder(name, orders.get(index)), isComparable };
  });
  return ({ page, list }) => {
    const isOnly = list.columns.filter(({ isShown }) => isShown).length < 2;
    const unsorted = list.sort.length === 0
      ? ""
      : `<li><a href="${
        escapeHtml(listLink(page, { sort: undefined, offset: undefined }))
      }">Do not sort</a></li>`;
    const own = (changes: Parameters<Page["link"]>[1]) => page.link("html", changes);
    const [before, after] = sortLink(page);
    const filter = cutLink(own, "ui.filter");
    const hide = cutLink(own, "ui.hide");
    const facet = cutLink(own, "ui.facet");
    const summary = list.summaryOf === undefined ? undefined : [escapeHtml(list.summaryOf), ""] as const;
    const hasFilters = list.choices.length > 0;
    // The texts between the column's names, which are all that menus differ in.
    const ascending = `"><ul><li><a href="${before}`;
    const descending = `${after}">Sort ascending</a></li><li><a href="${before}-`;
    const end = `${after}">Sort descending</a></li>${unsorted}`;
    let text = "";
    for (const [index, { name, order, isComparable }] of names.entries()) {
      text += '<div class="popover" popover="auto" id="c' + index + ascending + order + descending + order +
        end;
      if (hasFilters) text += item(filter, name, `Filter${ELLIPSIS}`);
      if (summary && isComparable) text += item(summary, name, "Summary and chart");
      if (hasFilters && isComparable) text += item(facet, name, "Frequent values");
      if (!isOnly) text += item(hide, name, "Hide");
      text += "</ul></div>\n";
    }
    return text;
  };
}

function item([before, after]: readonly [string, string], name: string, label: string): string {
  return '<li><a href="' + before + name + after + '">' + label + "</a></li>";
}

/** Encodes what means something in `sort`, and the whole as a parameter. */
function encodeOrder(name: string, order = name.replace(/[%,]|^-/g, (mark) => MARKS[mark] ?? mark)): string {
  return encodeName(order);
}

const MARKS: Readonly<Record<string, string>> = { "%": "%25", ",": "%2C", "-": "%2D" };

function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed());
}

/** The address of the list in another order, around the name of the column. */
function sortLink(page: Page): readonly [before: string, after: string] {
  return cutLink((changes) => listLink(page, changes), "sort", { offset: undefined });
}
