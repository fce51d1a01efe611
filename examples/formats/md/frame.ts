/**
 * The frame of a page, and the facts of lists and records around their rows.
 *
 * @module
 */

import type { Page, PageAction, PageFacet } from "@/plugins/contract.ts";
import { anchor, link, list, plain } from "./text.ts";

/** The breadcrumbs of the page, its heading, and messages. */
export function opened(
  title: string,
  page: Page,
  actions: readonly PageAction[] = page.actions ?? [],
): string {
  const { crumbs, prefix, notice, done, requestId } = page;
  const way = [link("Home", `${prefix}/`), ...crumbs.map(({ label, href }) => link(label, href))];
  const messages = [notice, done, requestId && `Request ${requestId}`].filter((text) => text !== undefined);
  return `${way.join(" / ")}\n\n# ${plain(title)}\n\n` +
    messages.map((text) => `> ${plain(text)}\n\n`).join("") + linked(actions);
}

/** Links in one line. */
export function linked(actions: readonly PageAction[]): string {
  const links = actions.map(({ label, href, tone }) => (tone === "problem" ? "⚠ " : "") + link(label, href));
  return links.length === 0 ? "" : `${links.join(" · ")}\n\n`;
}

/** The menu, the account, and the same resource in other formats. */
export function closed(page: Page): string {
  const { menu, account, user, login, logout, formats } = page;
  const entries = menu.flatMap((entry) => entry.below ?? [entry]);
  const places = entries.map(({ label, href, isCurrent }) => isCurrent ? plain(label) : link(label, href));
  const who = account
    ? `${link(account.name || account.login, account.href)} ${plain(account.email)}`.trim()
    : plain(user);
  const ways = [login && link("Log in", login), logout && link("Log out", logout)].filter(Boolean);
  const others = formats.filter((name) => name !== "md").map((name) => anchor(name, page.link(name, {})));
  return `\n---\n\n${[...places, who, ...ways].join(" · ")}\n` +
    (others.length === 0 ? "" : `\nFormats: ${others.join(" · ")}\n`);
}

/** What the list shows, and how to change it. */
export function aboutList({ list: facts, link: linkTo }: Page): string {
  if (!facts) return "";
  const { filters, sort, refused, all, add, bring, counts, summary, summaryOf, facet } = facts;
  const order = sort.map(({ column, descending }) => `${plain(column)}${descending ? " (descending)" : ""}`);
  return (refused ? `> ${plain(refused.sentence)}\n\n` : "") +
    (order.length === 0 ? "" : `Ordered by ${order.join(", ")}\n\n`) +
    filtered(filters.map(({ sentence, without }) => `${plain(sentence)} (${link("remove", without)})`)) +
    (facet ? frequentValues(facet) : "") +
    linked(
      [
        { label: "All", href: all },
        { label: "Add", href: add },
        { label: "Import", href: bring },
        { label: "Summary", href: summary },
        { label: "Count related records", href: counts },
        { label: "Schema", href: linkTo("md", { schema: "true" }) },
      ].filter((action): action is PageAction => action.href !== undefined),
    ) +
    (summaryOf === undefined ? "" : linked(facts.columns.map(({ name }) => {
      return { label: `${name} in numbers`, href: summaryOf + encodeURIComponent(name.toWellFormed()) };
    })));
}

/** `CountryCode: [Norway](…) 6 · [Greece](…) 4`; each link leads to the list with only these records. */
function frequentValues({ column, values, close }: PageFacet): string {
  const items = values?.map(({ label, count, href }) => `${link(label, href)} ${count}`) ??
    ["counting takes too long"];
  return `${plain(column)}: ${[...items, link("hide", close)].join(" · ")}\n\n`;
}

function filtered(filters: readonly string[]): string {
  return filters.length === 0 ? "" : `${list(filters)}\n`;
}

/** `Rows 51 to 100 of 412`, and the way to the pages beside it. */
export function pager({ offset, limit, total, list: facts, link: linkTo }: Page, rows: number): string {
  if (!facts) return "";
  const most = facts.countedUpTo ?? Infinity;
  const of = total === undefined ? "" : ` of ${total > most ? `more than ${most}` : total}`;
  const place = rows === 0 ? "No rows" : `Rows ${offset + 1} to ${offset + rows}`;
  if (limit === undefined) return `\n${place}${of}\n`;
  const before = offset > 0
    ? [link("Previous", linkTo("md", { offset: String(Math.max(0, offset - limit)) }))]
    : [];
  const next = rows === limit ? [link("Next", linkTo("md", { offset: String(offset + limit) }))] : [];
  return `\n${[place + of, ...before, ...next].join(" · ")}\n`;
}
