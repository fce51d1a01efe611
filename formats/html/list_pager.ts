/**
 * The pages of a list: which rows are shown, and links to others.
 *
 * @module
 */

import type { Page } from "@/plugins/contract.ts";
import { DASH, ELLIPSIS, escapeHtml, showCount } from "./text.ts";

type LinkChanges = Parameters<Page["link"]>[1];

/** The list in another order or on another page, with the numbers of related records if it has them. */
export function listLink(page: Page, changes: LinkChanges): string {
  return page.link("html", page.ui.has("counts") ? { ...changes, "ui.counts": "" } : changes);
}

/**
 * The escaped address of a changed list, cut where the encoded value of a parameter belongs: a page has many
 * links that differ only there.
 */
export function cutLink(
  link: (changes: LinkChanges) => string,
  name: string,
  changes: LinkChanges = {},
): readonly [before: string, after: string] {
  const whole = link({ [name]: "", ...changes });
  // Changes are behind the parameters that are kept.
  const end = whole.lastIndexOf(`${name}=`) + name.length + 1;
  return [escapeHtml(whole.slice(0, end)), escapeHtml(whole.slice(end))];
}

/** Sizes of a page that are offered. */
const SIZES = [25, 50, 100, 500];
/** Pages around the present one that have links. */
const AROUND = 2;
/** Pages without a link between two that have one. */
const LONG_GAP = 10;

/** Number of all rows in words: `412`, `more than 100,000`; empty if it is unknown. */
export function totalInWords({ total, list }: Page): string {
  if (total === undefined) return "";
  const most = list?.countedUpTo;
  return most !== undefined && total > most ? `more than ${showCount(most)}` : showCount(total);
}

/** The rows that stand on a page. */
interface Written {
  readonly rows: number;
  /** Further rows that were read do not fit. */
  readonly isFull?: boolean;
}

/** `1–29 of 412` with links to other pages, and the sizes of a page. */
export function showPager(page: Page, { rows: written, isFull = false }: Written): string {
  const { limit = 0, offset } = page;
  const of = totalInWords(page);
  // Rows that fit may all be before this page.
  const isNone = written === 0 && (offset === 0 || page.total === 0);
  const none = isNone && page.list?.filters.length ? "No rows fit the filters" : "No rows";
  const range = written === 0 ? none : `${showCount(offset + 1)}${DASH}${showCount(offset + written)}`;
  const sentence = isNone ? range : `${range}${of === "" ? "" : ` of ${of}`}`;
  const isUncounted = page.total === undefined && page.list?.countedUpTo !== undefined;
  const count = isUncounted
    ? ` (<a href="${escapeHtml(listLink(page, { count: "true" }))}">count all rows</a>)`
    : "";
  const next = isFull ? showNext(page, written) : "";
  const numbers = limit > 0 ? pageNumbers(page, limit, { rows: written, isFull }) : [];
  const links = numbers.map((number) => showNumber(page, limit, number));
  const nav = links.length < 2 ? "" : `<nav aria-label="Pages"><ul>${links.join("")}</ul></nav>`;
  return `<div class="pager"><p>${sentence}${count}${next}</p>${nav}${
    limit > 0 ? showSizes(page, limit, isFull ? limit : written) : ""
  }</div>\n`;
}

/** The link to the next page, from one that has room for fewer rows than it should have. */
function showNext(page: Page, written: number): string {
  const changes = { limit: String(written), offset: String(page.offset + written) };
  const href = escapeHtml(listLink(page, changes));
  return `: the page has no room for more. <a rel="next" href="${href}">Next rows</a>`;
}

/**
 * The first page, those around the present one, and the last one that is known; undefined is a gap, also at
 * the end of a list whose last page is unknown. The middle of a long one leads to any page in a few steps.
 */
function pageNumbers(
  { offset, total, list }: Page,
  limit: number,
  { rows: written, isFull }: Required<Written>,
): (number | undefined)[] {
  const current = Math.floor(offset / limit);
  const isExact = total !== undefined && !(list?.countedUpTo !== undefined && total > list.countedUpTo);
  // Later pages of this size would begin behind rows that had no room on this one.
  const known = isExact && !isFull
    ? Math.ceil(total / limit) - 1
    : written >= limit && !isFull
    ? current + 1
    : current;
  const [from, to] = [current - AROUND, current + AROUND];
  const middle = (start: number, end: number) =>
    end - start > LONG_GAP ? [Math.round((start + end) / 2)] : [];
  const around = Array.from({ length: to - from + 1 }, (_, step) => from + step);
  const wanted = new Set([0, ...middle(0, from), ...around, ...middle(to, known), known]);
  // The present page may be behind the last one.
  const numbers = [...wanted].filter((number) => number >= 0 && (number <= known || number === current))
    .toSorted((a, b) => a - b);
  const gapped = numbers.flatMap((number, at) =>
    number > (numbers[at - 1] ?? -1) + 1 ? [undefined, number] : [number]
  );
  return isExact || known === current ? gapped : [...gapped, undefined];
}

function showNumber(page: Page, limit: number, number: number | undefined): string {
  if (number === undefined) return `<li><span>${ELLIPSIS}</span></li>`;
  const label = showCount(number + 1);
  const current = Math.floor(page.offset / limit);
  if (number === current) return `<li><span aria-current="page">${label}</span></li>`;
  const rel = number === current - 1 ? ' rel="prev"' : number === current + 1 ? ' rel="next"' : "";
  const changes = { limit: String(limit), offset: number === 0 ? undefined : String(number * limit) };
  return `<li><a${rel} aria-label="Page ${label}" href="${
    escapeHtml(listLink(page, changes))
  }">${label}</a></li>`;
}

function showSizes(page: Page, limit: number, written: number): string {
  const isWhole = page.offset === 0 && written < limit;
  const sizes = SIZES.filter((size) => size !== limit && !(isWhole && size > limit));
  if (sizes.length === 0 || (isWhole && written <= (SIZES[0] ?? 0))) return "";
  const links = sizes.map((size) =>
    `<li><a href="${escapeHtml(listLink(page, { limit: String(size), offset: undefined }))}">${size}</a></li>`
  );
  return `<nav aria-label="Rows on a page"><ul><li><span>Rows:</span></li>${links.join("")}</ul></nav>`;
}
