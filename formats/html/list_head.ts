/**
 * The header row of a list: sorting, and a menu for each column.
 *
 * @module
 */

import type { Page, PageList, Shape, ShapeColumn } from "@/plugins/contract.ts";
import { isNumeric } from "@/plugins/kit/formats.ts";
import { icon } from "./icons.ts";
import { cutLink, listLink } from "./list_pager.ts";
import { ELLIPSIS, escapeHtml, escapeLabel, link, markOdd } from "./text.ts";
import { isInUtc } from "./value.ts";

/** The two parts of a link. */
type SortLink = readonly [before: string, after: string];

/** The page whose header it is. */
interface ListPage {
  readonly page: Page;
  readonly list: PageList;
  readonly sort: SortLink;
}

/** The columns of a list, with the labels behind its foreign keys. */
type ListColumns = Pick<Shape, "columns" | "toOne">;

/** Compiles the header cells of all columns; the one at `lead` stays in sight. */
export function compileHeaders({ columns, toOne }: ListColumns, lead: number): (shown: ListPage) => string {
  const labels = new Map(toOne.map(({ label }) => [label?.column, label]));
  const parts = columns.map((column, index) => {
    const { name, comment, type, isKey } = column;
    const classes = [
      ...(isNumeric(type) && !labels.has(index) ? ["number"] : []),
      ...(index === lead ? ["first"] : []),
    ].join(" ");
    const hint = (isKey ? '<span class="key" title="Part of the key">key</span>' : "") +
      (isInUtc(column) ? '<span class="key" title="The times are in UTC">UTC</span>' : "");
    const order = labels.get(index)?.order;
    return {
      name,
      order,
      encoded: encodeOrder(order ?? name),
      column: encodeName(name),
      start: `<th scope="col"${classes === "" ? "" : ` class="${classes}"`}`,
      sort: `${comment === undefined ? "" : ` title="${escapeLabel(comment)}"`}><a class="sort" href="`,
      label: `">${escapeHtml(name)}`,
      end: `</a>${hint}`,
      opener: `" aria-label="${escapeLabel(`Menu of column ${name}`)}">`,
    };
  });
  return ({ page, list, sort: [before, after] }) => {
    const sorted = new Map(list.sort.map(({ column, descending }) => [column, descending]));
    const menus = hasMenus(columns, page) ? undefined : cutLink((more) => listLink(page, more), "ui.menu");
    let text = "";
    for (const [index, part] of parts.entries()) {
      const { name, order = name, encoded, column, start, sort, label, opener } = part;
      // The style sheet gives these their icon: they are many.
      const end = part.end +
        (menus
          ? '<a class="plain" data-menu="" href="' + menus[0] + column + menus[1] + opener + "</a></th>"
          : '<button type="button" class="plain" popovertarget="c' + index + opener + "</button></th>");
      const descending = sorted.get(order) ?? sorted.get(name);
      if (descending === undefined) {
        text += start + sort + before + encoded + after + label + end;
        continue;
      }
      text += `${start} aria-sort="${descending ? "descending" : "ascending"}"${sort}${before}` +
        `${descending ? "" : "-"}${encoded}${after}${label}${icon(descending ? "down" : "up")}${end}`;
    }
    return text;
  };
}

/** Lists with more columns have no menus of their own: they would be most of the page. */
const MOST_MENUS = 60;
/** Characters of all addresses that the menus of a list have, if each had one: each has up to eight. */
const MOST_ADDRESSES = 6000;

/** Whether each column has its menu on the page. Else a link asks for a page with the menu of one. */
function hasMenus({ length }: readonly ShapeColumn[], page: Page): boolean {
  return length <= MOST_MENUS && length * page.link("html", {}).length <= MOST_ADDRESSES;
}

/** The menus on the page of a list. */
interface Menus {
  /** The menu of the column that the address asks for, above the table. */
  readonly asked: string;
  /** The menus of all columns, outside the table, which would cut them off at its edge. */
  readonly all: string;
}

/** A column as its menu needs it: the encoded name, and the encoded order by its label or itself. */
interface MenuColumn {
  readonly title: string;
  readonly name: string;
  readonly order: string;
  /** Bytes and documents are not compared. */
  readonly isComparable: boolean;
}

/** Compiles the menus of all columns. */
export function compileMenus({ columns, toOne }: ListColumns): (shown: ListPage) => Menus {
  const orders = new Map(toOne.map(({ label }) => [label?.column, label?.order]));
  const names = columns.map(({ name, type }, index): MenuColumn => {
    const isComparable = type !== "binary" && type !== "json";
    return {
      title: name,
      name: encodeName(name),
      order: encodeOrder(orders.get(index) ?? name),
      isComparable,
    };
  });
  return (shown) => {
    const { page } = shown;
    const items = itemsOf(shown);
    const wanted = page.ui.get("menu");
    const column = wanted === undefined ? undefined : names.find(({ title }) => title === wanted);
    const asked = column === undefined
      ? ""
      : `<ul class="chips" id="menu" aria-label="${escapeLabel(`Menu of column ${column.title}`)}"><li>${
        markOdd(column.title)
      }:</li>${items(column)}<li>${link(listLink(page, {}), "Hide menu")}</li></ul>\n`;
    let all = "";
    if (hasMenus(columns, page)) {
      for (const [index, each] of names.entries()) {
        all += '<div class="popover" popover="auto" id="c' + index + '"><ul>' + items(each) + "</ul></div>\n";
      }
    }
    return { asked, all };
  };
}

/** The items of a column's menu. Menus differ only in names, so the texts between these are made once. */
function itemsOf({ page, list, sort: [before, after] }: ListPage): (column: MenuColumn) => string {
  const isOnly = list.columns.filter(({ isShown }) => isShown).length < 2;
  const unsorted = list.sort.length === 0
    ? ""
    : `<li><a href="${
      escapeHtml(listLink(page, { sort: undefined, offset: undefined }))
    }">Do not sort</a></li>`;
  const own = (changes: Parameters<Page["link"]>[1]) => page.link("html", changes);
  const filter = cutLink(own, "ui.filter");
  const hide = cutLink(own, "ui.hide");
  const facet = cutLink(own, "ui.facet");
  const summary = list.summaryOf === undefined ? undefined : [escapeHtml(list.summaryOf), ""] as const;
  const hasFilters = list.choices.length > 0;
  const ascending = `<li><a href="${before}`;
  const descending = `${after}">Sort ascending</a></li><li><a href="${before}-`;
  const end = `${after}">Sort descending</a></li>${unsorted}`;
  return ({ name, order, isComparable }) => {
    let text = ascending + order + descending + order + end;
    if (hasFilters) text += item(filter, name, `Filter${ELLIPSIS}`);
    if (summary && isComparable) text += item(summary, name, "Summary and chart");
    if (hasFilters && isComparable) text += item(facet, name, "Frequent values");
    if (!isOnly) text += item(hide, name, "Hide");
    return text;
  };
}

function item([before, after]: readonly [string, string], name: string, label: string): string {
  return '<li><a href="' + before + name + after + '">' + label + "</a></li>";
}

/** Encodes what means something in `sort`, and the whole as a parameter. */
function encodeOrder(name: string): string {
  return encodeName(name.replace(/[%,]|^-/g, (mark) => MARKS[mark] ?? mark));
}

const MARKS: Readonly<Record<string, string>> = { "%": "%25", ",": "%2C", "-": "%2D" };

function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed());
}

/** The address of the list in another order, around the name of the column. */
export function sortLink(page: Page): SortLink {
  return cutLink((changes) => listLink(page, changes), "sort", { offset: undefined });
}
