/**
 * Pages for errors.
 *
 * @module
 */

import type { Page, Problem, WriteOptions } from "@/plugins/contract.ts";
import { CLOSE_PLAIN_PAGE, openPage } from "./page.ts";
import { escapeHtml, link } from "./text.ts";

const PHRASES: ReadonlyMap<number, string> = new Map([
  [400, "Bad request"],
  [402, "Licence required"],
  [403, "Forbidden"],
  [404, "Not found"],
  [405, "Method not allowed"],
  [406, "Not acceptable"],
  [409, "Conflict"],
  [412, "Changed in the meantime"],
  [413, "Too large"],
  [415, "Unsupported media type"],
  [422, "Cannot be changed like this"],
  [429, "Too many requests"],
  [500, "Internal error"],
  [501, "Not implemented"],
  [503, "Unavailable"],
  [504, "Timeout"],
]);

/** The error page; if rights are missing it links to the login. */
export function writeProblem(
  problem: Problem,
  { options, page, product }: {
    readonly options: WriteOptions;
    readonly page: Page;
    readonly product: string;
  },
): string {
  const heading = `${problem.httpCode} ${PHRASES.get(problem.httpCode) ?? "Error"}`;
  const isRight = problem.httpCode === 403;
  const isSignedIn = page.logout !== undefined;
  const text = isRight && isSignedIn ? problem.description.replace(TO_LOG_IN, "") : problem.description;
  return openPage({ heading, product, charset: options.charset, page, crumbs: false }) +
    `<p>${escapeHtml(text)}</p>\n${showTemplate(problem.urlTemplate)}` +
    (isRight ? `<p>${isSignedIn ? whomToAsk(page) : logIn(page)}</p>\n` : "") +
    CLOSE_PLAIN_PAGE;
}

/** The end of descriptions for programs; useless to users who are logged in. */
const TO_LOG_IN = /: log in, or resend with a valid API key( of a user who may)?$/;

function logIn(page: Page): string {
  return link(page.login ?? `${page.prefix}/login`, "Log in");
}

function whomToAsk({ user, prefix }: Page): string {
  return user === "admin"
    ? `As the administrator you can ${link(`${prefix}/userdef/admin`, "give yourself the right")}.`
    : `You are signed in as ${escapeHtml(user)}: ask the administrator of this service for the right.`;
}

function showTemplate(template: string | undefined): string {
  return template === undefined ? "" : `<p>Expected URL: <code>${escapeHtml(template)}</code></p>\n`;
}
