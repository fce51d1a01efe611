/**
 * The frame around the content of every page, and links to the pages of a list.
 *
 * @module
 */

import type { Page } from "@/plugins/contract.ts";
import { STYLE } from "./style.ts";
import { escapeHtml, link } from "./text.ts";

/** The facts that the frame of a page shows. */
export interface PageFrame {
  /** The product's name, plain text: the end of the title and the first link. */
  readonly product: string;
  /** The charset that the page is encoded in. */
  readonly charset: string;
  readonly page: Page;
}

/**
 * The page up to and including the heading, which is plain text and begins the title. `crumbs`: the path is shown as
 * links; false for errors, whose path may not exist.
 */
export function openPage(heading: string, frame: PageFrame, crumbs: boolean): string {
  const { product, charset, page } = frame;
  const segments = crumbs ? segmentsOf(page) : [];
  return '<!DOCTYPE html>\n<html lang="en">\n<head>\n' +
    `<meta charset="${escapeHtml(charset)}"/>\n` +
    '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n' +
    `<title>${escapeHtml(`${heading} - ${product}`)}</title>\n<style>${STYLE}</style>\n</head>\n<body>\n` +
    `<header>\n${breadcrumb(segments, frame)}${showUser(page)}</header>\n` +
    `<main>\n${showNotice(page)}<h1>${escapeHtml(heading)}</h1>\n`;
}

function showNotice({ notice }: Page): string {
  return notice === undefined ? "" : `<p class="problem" role="status">${escapeHtml(notice)}</p>\n`;
}

const END = "</body>\n</html>\n";

/** The end of a page without other formats. */
export const CLOSE_PLAIN_PAGE = `</main>\n${END}`;

/** The end of a page, with links to the same resource in other formats. */
export function closePage(page: Page): string {
  const links = page.formats
    .filter((format) => format !== "html")
    // The limit of a page does not apply to downloads in other formats.
    .map((format) => `<li>${link(page.link(format, { limit: undefined, offset: undefined }), format)}</li>`);
  const footer = links.length === 0
    ? ""
    : `<footer>\n<nav aria-label="Other formats"><ul>${links.join("")}</ul></nav>\n</footer>\n`;
  return `</main>\n${footer}${END}`;
}

/** The decoded last segment of the page's path: the heading of resources without a name. */
export function lastSegment(page: Page): string {
  return decode(segmentsOf(page).at(-1) ?? "");
}

function breadcrumb(segments: readonly string[], { page, product }: PageFrame): string {
  const items = segments.map((segment, index) => {
    const label = decode(segment);
    if (index === segments.length - 1) {
      return `<li><span aria-current="page">${escapeHtml(label)}</span></li>`;
    }
    return `<li>${link(`${page.prefix}/${segments.slice(0, index + 1).join("/")}.html`, label)}</li>`;
  });
  const home = `<li>${link(`${page.prefix}/`, product)}</li>`;
  return `<nav aria-label="Breadcrumb"><ol>${home}${items.join("")}</ol></nav>\n`;
}

/** The user, and the link to log in or out. */
function showUser({ user, login, logout }: Page): string {
  const name = user === "public" ? "" : `Signed in as <strong>${escapeHtml(user)}</strong>`;
  const way = login === undefined
    ? logout === undefined ? "" : link(logout, "Log out")
    : link(login, "Log in");
  return name === "" && way === "" ? "" : `<p>${name}${way}</p>\n`;
}

/** Segments below the prefix. Leading slashes are removed, because a link with two of them leads to another host. */
function segmentsOf(page: Page): string[] {
  const path = page.path.split("?", 1)[0] ?? "";
  const local = path.startsWith(`${page.prefix}/`) ? path.slice(page.prefix.length) : path;
  const trimmed = local.replace(/^[/\\]+/, "");
  return trimmed === "" ? [] : trimmed.split("/");
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return segment;
    throw error;
  }
}

/** A sentence about the rows on the page, and links to the pages before and after. */
export function showPaging(page: Page, written: number): string {
  const { limit = 0, offset, total } = page;
  const of = total === undefined ? "" : ` of ${total}`;
  const sentence = written === 0 ? "No rows" : `Rows ${offset + 1} to ${offset + written}`;
  const hasPrevious = limit > 0 && offset > 0;
  // A further page may exist only if this one is full; a known total decides.
  const hasNext = limit > 0 && written >= limit && (total === undefined || offset + written < total);
  const links = (hasPrevious ? pageLink(page, limit, Math.max(0, offset - limit)) : "") +
    (hasNext ? pageLink(page, limit, offset + limit) : "");
  const nav = links === "" ? "" : `<nav aria-label="Pages"><ul>${links}</ul></nav>\n`;
  return `<p>${sentence}${of}</p>\n${nav}`;
}

function pageLink(page: Page, limit: number, offset: number): string {
  const changes = { limit: String(limit), offset: offset === 0 ? undefined : String(offset) };
  const [rel, label] = offset < page.offset ? ["prev", "Previous"] : ["next", "Next"];
  return `<li><a rel="${rel}" href="${escapeHtml(page.link("html", changes))}">${label}</a></li>`;
}
