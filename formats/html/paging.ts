/**
 * The position of a page in its list, and links to its neighbours.
 *
 * @module
 */

import type { Page } from "@/plugins/contract.ts";
import { escapeHtml } from "./text.ts";

/** A sentence about the rows on the page, and links to the pages before and after. */
export function showPaging(page: Page, written: number): string {
  const links = [previousLink(page), nextLink(page, written)].filter((text) => text !== "");
  const sentence = `<p>${describeRows(page, written)}</p>\n`;
  if (links.length === 0) return sentence;
  return `${sentence}<nav aria-label="Pages"><ul>${links.join("")}</ul></nav>\n`;
}

function describeRows(page: Page, written: number): string {
  const of = page.total === undefined ? "" : ` of ${page.total}`;
  if (written === 0) return `No rows${of}`;
  return `Rows ${page.offset + 1} to ${page.offset + written}${of}`;
}

function previousLink(page: Page): string {
  const { limit, offset } = page;
  if (!limit || offset === 0) return "";
  const before = Math.max(0, offset - limit);
  return pageLink(page, limit, before === 0 ? undefined : before, { rel: "prev", label: "Previous" });
}

/** A further page may exist only if this one is full; a known total decides. */
function nextLink(page: Page, written: number): string {
  const { limit, offset, total } = page;
  if (!limit || written < limit) return "";
  if (total !== undefined && offset + written >= total) return "";
  return pageLink(page, limit, offset + limit, { rel: "next", label: "Next" });
}

interface LinkText {
  readonly rel: string;
  readonly label: string;
}

function pageLink(page: Page, limit: number, offset: number | undefined, { rel, label }: LinkText): string {
  const changes = { limit: String(limit), offset: offset === undefined ? undefined : String(offset) };
  return `<li><a rel="${rel}" href="${escapeHtml(page.link("html", changes))}">${label}</a></li>`;
}
