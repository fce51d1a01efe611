/**
 * Pages for errors.
 *
 * @module
 */

import type { Page, Problem } from "@/plugins/contract.ts";
import { CLOSE_PLAIN_PAGE, openPage, type PageFrame } from "./page.ts";
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
export function writeProblem({ httpCode, description, urlTemplate }: Problem, frame: PageFrame): string {
  const { page } = frame;
  const isRight = httpCode === 403;
  const isSignedIn = page.logout !== undefined;
  const text = isRight && isSignedIn ? description.replace(TO_LOG_IN, "") : description;
  const login = link(page.login ?? `${page.prefix}/login`, "Log in");
  return openPage(`${httpCode} ${PHRASES.get(httpCode) ?? "Error"}`, frame, false) +
    `<p>${escapeHtml(text)}</p>\n` +
    (urlTemplate === undefined ? "" : `<p>Expected URL: <code>${escapeHtml(urlTemplate)}</code></p>\n`) +
    (isRight ? `<p>${isSignedIn ? whomToAsk(page) : login}</p>\n` : "") +
    CLOSE_PLAIN_PAGE;
}

/** The end of descriptions for programs; useless to users who are logged in. */
const TO_LOG_IN = /: log in, or resend with a valid API key( of a user who may)?$/;

function whomToAsk({ user, prefix }: Page): string {
  return user === "admin"
    ? `As the administrator you can ${link(`${prefix}/userdef/admin`, "give yourself the right")}.`
    : `You are signed in as ${escapeHtml(user)}: ask the administrator of this service for the right.`;
}
