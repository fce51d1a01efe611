/**
 * Pages without data: forms, such as the login and the first run, and errors. They need no script.
 *
 * @module
 */

import type { Button, Form, FormField, FormPage, Page, Problem } from "@/plugins/contract.ts";
import { CLOSE_PLAIN_PAGE, openPage, type PageFrame } from "./page.ts";
import { escapeHtml, link } from "./text.ts";

/** The problem comes first, and the first editable field has the focus. */
export function writeForm({ title, text, problem, buttons, form }: FormPage, frame: PageFrame): string {
  const alert = problem === undefined ? "" : `<p class="problem" role="alert">${escapeHtml(problem)}</p>\n`;
  const paragraphs = text.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>\n`).join("");
  return openPage(title, frame, false) +
    `<div class="form">\n${alert}${paragraphs}${showButtons(buttons)}${form ? showForm(form) : ""}</div>\n` +
    CLOSE_PLAIN_PAGE;
}

function showButtons(buttons: readonly Button[]): string {
  if (buttons.length === 0) return "";
  const items = buttons.map(({ label, href }) =>
    `<li><a class="button" href="${escapeHtml(href)}">${escapeHtml(label)}</a></li>\n`
  );
  return `<ul class="buttons">\n${items.join("")}</ul>\n`;
}

function showForm({ action, fields, hidden, submit }: Form): string {
  const kept = Object.entries(hidden).map(([name, value]) =>
    `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}"/>\n`
  );
  const empty = fields.findIndex(({ value = "" }) => value === "");
  const shown = fields.map((field, index) => showField(field, index === empty));
  return `<form method="post" action="${escapeHtml(action)}">\n${kept.join("")}${shown.join("")}` +
    `<button type="submit">${escapeHtml(submit)}</button>\n</form>\n`;
}

/** Fields in which phone keyboards must not change the text. */
const EXACT: ReadonlySet<string> = new Set(["username", "off"]);

function showField(field: FormField, isFirst: boolean): string {
  const { name, label, kind, required, autocomplete, value = "", hint } = field;
  const id = `field-${name}`;
  const attributes = [
    `id="${id}" name="${name}" type="${kind}" autocomplete="${autocomplete}"`,
    ...(value === "" || kind === "password" ? [] : [`value="${escapeHtml(value)}"`]),
    ...(required ? ['required="required"'] : []),
    ...(isFirst ? ['autofocus="autofocus"'] : []),
    ...(EXACT.has(autocomplete) ? ['autocapitalize="none" spellcheck="false"'] : []),
    ...(hint === undefined ? [] : [`aria-describedby="${id}-hint"`]),
  ];
  const below = hint === undefined ? "" : `<p class="hint" id="${id}-hint">${escapeHtml(hint)}</p>\n`;
  return `<label for="${id}">${escapeHtml(label)}</label>\n<input ${attributes.join(" ")}/>\n${below}`;
}

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
