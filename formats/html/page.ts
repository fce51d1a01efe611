/**
 * The frame around the content of every page: head, bar with menu and account, breadcrumbs, heading.
 *
 * @module
 */

import type { Crumb, MenuEntry, Page, PageAction, PageNotice } from "@/plugins/contract.ts";
import { icon } from "./icons.ts";
import type { Template } from "./template.ts";
import { escapeHtml, escapeLabel, link, markOdd, readable } from "./text.ts";

/** What all pages of the service have. */
export interface Site {
  /** The product's name, plain text: the end of the title and the first link. */
  readonly product: string;
  readonly template: Template;
}

/** The facts that the frame of a page shows. */
export interface PageFrame extends Site {
  /** The charset that the page is encoded in. */
  readonly charset: string;
  readonly page: Page;
}

/** A link as a button; without an address it is not shown. */
export interface Action extends Omit<PageAction, "href"> {
  readonly href: string | undefined;
}

/** The heading of a page. All texts are plain text. */
interface Heading {
  readonly title: string;
  /** The filters of a list in a sentence, behind the title. */
  readonly where?: string;
  /** The breadcrumbs of this page. Default: {@link Page.crumbs}. */
  readonly crumbs?: readonly Crumb[];
  readonly actions?: readonly Action[];
  /** HTML beside the heading. */
  readonly tools?: string;
  /** Seconds until the page loads itself again. */
  readonly refresh?: number;
  /** Style sheets and scripts that only some pages load. */
  readonly files?: readonly string[];
}

/** The page up to and including the heading. */
export function openPage(
  { title, where, crumbs, actions = [], tools = "", refresh, files = [] }: Heading,
  frame: PageFrame,
): string {
  const { product, template, charset, page } = frame;
  const trail = crumbs ?? page.crumbs;
  const again = refresh === undefined ? "" : ` data-refresh="${refresh}"`;
  return template.begin + `<meta charset="${escapeHtml(charset)}"/>\n` +
    '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n' +
    `<title>${
      escapeLabel(titleOf(where === undefined ? title : `${title} ${where}`, trail, product))
    }</title>\n` +
    `<link rel="icon" href="${page.asset("icon.svg")}" type="image/svg+xml"/>\n` +
    ["page.css", "page.js", ...files].map((name) => showFile(name, page)).join("") +
    template.between + `<a class="skip hidden" href="#main">Skip to the content</a>\n` +
    `${showBar(frame)}${showCrumbs(trail, frame)}${template.before}<main id="main"${again}>\n` +
    `${showNotice(page)}${showDone(page)}` +
    `<div class="head"><h1>${markOdd(title)}${
      where === undefined ? "" : ` <span class="where">${markOdd(where)}</span>`
    }</h1>${showActions(actions)}${tools}</div>\n`;
}

function showFile(name: string, page: Page): string {
  return name.endsWith(".css")
    ? `<link rel="stylesheet" href="${page.asset(name)}"/>\n`
    : `<script src="${page.asset(name)}" defer="defer"></script>\n`;
}

/** The end of the page. */
export function closePage({ template }: Site): string {
  return `</main>\n${template.after}`;
}

/** `Wichterlová · Customer · Chinook · Rowhouse`: the page first, because tabs show only the beginning. */
function titleOf(title: string, crumbs: readonly Crumb[], product: string): string {
  const [, ...before] = crumbs.map(({ label }) => label).toReversed();
  return [...new Set([title, ...before, product])].join(" · ");
}

/** Links as buttons; the first one stands out unless it has a tone. */
export function showActions(actions: readonly Action[]): string {
  const shown = actions.filter(({ href }) => href !== undefined);
  if (shown.length === 0) return "";
  const items = shown.map(({ label, href = "", tone, isBeside }, index) => {
    const look = tone === "problem" ? " problem" : index === 0 && tone === undefined ? " main" : "";
    const place = isBeside ? ' target="_blank"' : "";
    return `<li><a class="button${look}" href="${escapeHtml(href)}"${place}>${markOdd(label)}</a></li>`;
  });
  return `<ul class="actions">${items.join("")}</ul>`;
}

/** A message that stands out; a mistake is announced to screen readers. */
export function showMessage(
  { tone, text, actions = [] }: Pick<PageNotice, "tone" | "text"> & Pick<Heading, "actions">,
): string {
  const role = tone === "problem" ? "alert" : "status";
  const look = tone === "plain" ? "notice" : `notice ${tone}`;
  return `<div class="${look}"><p role="${role}">${escapeHtml(readable(text))}</p>${
    showActions(actions)
  }</div>\n`;
}

function showNotice({ notice, login }: Page): string {
  if (notice === undefined) return "";
  return showMessage({ tone: "warning", text: notice, actions: [{ label: "Log in", href: login }] });
}

function showDone({ done }: Page): string {
  return done === undefined ? "" : showMessage({ tone: "good", text: done });
}

function showBar(frame: PageFrame): string {
  const { page, product } = frame;
  const brand = `<a class="brand" href="${escapeHtml(`${page.prefix}/`)}">${icon("house")}${
    escapeHtml(product)
  }</a>\n`;
  const menu = page.menu.length === 0
    ? ""
    : `<nav class="menu" aria-label="Main"><ul>${page.menu.map(showEntry).join("")}</ul></nav>\n`;
  return `<header class="bar">\n${brand}${menu}<div class="account">${showFind(page)}${
    showAccount(page)
  }</div>\n</header>\n`;
}

function showEntry({ label, href, isCurrent, below }: MenuEntry): string {
  if (!below) {
    const current = isCurrent ? ' aria-current="page"' : "";
    return `<li><a href="${escapeHtml(href)}"${current}>${escapeHtml(label)}</a></li>`;
  }
  const look = isCurrent ? ' class="current"' : "";
  return `<li><details class="drop"><summary${look}>${escapeHtml(label)}${icon("down")}</summary>` +
    `<ul>${below.map(showEntry).join("")}</ul></details></li>`;
}

/** The box that finds tables, columns and queries. */
function showFind({ prefix, menu, ui }: Page): string {
  if (menu.length === 0) return "";
  const wanted = ui.get("find");
  const value = wanted === undefined ? "" : ` value="${escapeHtml(wanted)}"`;
  return `<form class="find" role="search" accept-charset="utf-8" action="${escapeHtml(`${prefix}/`)}">` +
    `<input id="find" type="search" name="ui.find" aria-label="Find tables, columns and queries" ` +
    `placeholder="Find  ( / )" maxlength="200" autocomplete="off"${value}/><button type="submit" class="hidden">Find</button></form>\n`;
}

/** The caller's account with the logout, or the link to the login. */
function showAccount({ account, login, logout }: Page): string {
  if (!account) return login === undefined ? "" : `<a class="button" href="${escapeHtml(login)}">Log in</a>`;
  const { login: name, name: person, email, href } = account;
  const about = [person, email].filter((text) => text !== "").map((text) => `<p>${escapeHtml(text)}</p>`);
  const links = [
    ...(href === undefined ? [] : [
      link(href, "Your account"),
      link(`${href}?ui.edit`, "Change your password"),
      link(`${href}#apikey`, "Your API key"),
    ]),
    ...(logout === undefined ? [] : [link(logout, "Log out")]),
  ];
  return `<details class="drop end"><summary>${icon("person")}<span class="hidden">Logged in as </span>` +
    `${escapeHtml(name)}${icon("down")}</summary><div class="menu">${about.join("")}${
      links.join("")
    }</div></details>`;
}

function showCrumbs(crumbs: readonly Crumb[], { page: { prefix } }: PageFrame): string {
  if (crumbs.length === 0) return "";
  const items = crumbs.map(({ label, href }, index) => {
    const current = index === crumbs.length - 1 ? ' aria-current="page"' : "";
    return href === undefined
      ? `<li><span${current}>${markOdd(label)}</span></li>`
      : `<li>${link(href, label)}</li>`;
  });
  return `<nav class="crumbs" aria-label="Breadcrumb"><ol><li>${link(`${prefix}/`, "Home")}</li>${
    items.join("")
  }</ol></nav>\n`;
}

/** A box that needs the script, and is hidden without it. */
export function showNarrow(label: string | undefined, id: string): string {
  if (label === undefined) return "";
  return `<p data-narrow="${id}" hidden="hidden"><label for="${id}-narrow">${escapeHtml(label)}</label>` +
    `<input type="search" id="${id}-narrow" autocomplete="off"/></p>\n`;
}
