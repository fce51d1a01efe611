/**
 * Pages without data: forms, such as the login and the first run, and errors. They need no script.
 *
 * @module
 */

import type { Button, Form, FormField, FormPage, Page, PageAction, Problem } from "@/plugins/contract.ts";
import { closePage, openPage, type PageFrame, showActions, showMessage } from "./page.ts";
import { attributes, escapeHtml, link, readable, showCount } from "./text.ts";

/** The problem comes first, and the first editable field has the focus. */
export function writeForm({ title, text, problem, buttons, form }: FormPage, frame: PageFrame): string {
  const alert = problem === undefined
    ? ""
    : `<div id="${PROBLEM}">${showMessage({ tone: "problem", text: problem })}</div>\n`;
  const paragraphs = text.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>\n`).join("");
  return openPage({ title }, frame) +
    `<div class="form">\n${alert}${paragraphs}${showButtons(buttons)}${form ? showForm(form) : ""}</div>\n` +
    closePage(frame);
}

/** The id of the message that wrong fields refer to. */
const PROBLEM = "problem";

function showButtons(buttons: readonly Button[]): string {
  if (buttons.length === 0) return "";
  const items = buttons.map(({ label, href }) =>
    `<li><a class="button" href="${escapeHtml(href)}">${escapeHtml(label)}</a></li>\n`
  );
  return `<ul>\n${items.join("")}</ul>\n`;
}

function showForm({ action, fields, hidden, submit }: Form): string {
  const kept = Object.entries(hidden).map(([name, value]) =>
    `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}"/>\n`
  );
  const empty = fields.findIndex(({ value = "" }) => value === "");
  const shown = fields.map((field, index) => showField(field, index === empty));
  return `<form method="post" accept-charset="utf-8" action="${escapeHtml(action)}">\n${kept.join("")}${
    shown.join("")
  }` +
    `<button type="submit" class="main">${escapeHtml(submit)}</button>\n</form>\n`;
}

/** Fields in which phone keyboards must not change the text. */
const EXACT: ReadonlySet<string> = new Set(["username", "off"]);

function showField(field: FormField, isFirst: boolean): string {
  const { name, label, kind, required, autocomplete, value = "", hint, isReadOnly, isWrong } = field;
  const id = `field-${name}`;
  const described = [...(isWrong ? [PROBLEM] : []), ...(hint === undefined ? [] : [`${id}-hint`])].join(" ");
  const input = attributes({
    ...{ id, name, type: kind, autocomplete },
    value: value !== "" && kind !== "password" && value,
    required,
    autofocus: isFirst,
    ...(EXACT.has(autocomplete) ? { autocapitalize: "none", spellcheck: "false" } : {}),
    readonly: isReadOnly,
    "aria-describedby": described !== "" && described,
    "aria-invalid": isWrong && "true",
  });
  const help = hint === undefined ? "" : `<p class="hint" id="${id}-hint">${escapeHtml(hint)}</p>\n`;
  return `<label for="${id}">${escapeHtml(label)}</label>\n${help}<input${input}/>\n`;
}

const PHRASES: ReadonlyMap<number, string> = new Map([
  [400, "Bad request"],
  [402, "Licence required"],
  [403, "Forbidden"],
  [404, "Not found"],
  [405, "Method not allowed"],
  [406, "Not acceptable"],
  [408, "Too slow"],
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

/** The error page: the mistake, links to similar names, and a way to log in if rights are missing. */
export function writeProblem(problem: Problem, frame: PageFrame): string {
  const { httpCode, description, urlTemplate, errors = [], nearest = [] } = problem;
  const { page } = frame;
  const isRight = httpCode === 403;
  const isSignedIn = page.logout !== undefined;
  const needsLogin = isRight && !isSignedIn && TO_LOG_IN.test(description);
  const text = description.replace(isRight ? TO_LOG_IN : nearest.length > 0 ? NEAREST : "", "")
    .replace(/^This service needs credentials$/, "You need a login for this service")
    .replace(ANONYMOUS, (_all, mayNot) => mayNot ? "Without a login you may not" : "You need a login for")
    .replace(TOO_LARGE, (_all, bytes) => `What you sent is too large: at most ${showCount(bytes)} bytes`);
  const ways = page.actions ?? [];
  const actions = isRight ? [...ways, otherLogin(page)] : ways;
  const above = page.crumbs.at(-1);
  const back = { label: `Go to ${above?.label}`, href: above?.href };
  const list = (items: readonly string[]) =>
    `<ul>${items.map((item) => `<li>${item}</li>`).join("\n")}</ul>\n`;
  const title = needsLogin ? "Login needed" : PHRASES.get(httpCode) ?? "Error";
  const crumbs = page.crumbs.length === 0 ? [] : [...page.crumbs, { label: title }];
  return openPage({ title, crumbs }, frame) +
    `<p>${escapeHtml(readable(text))}</p>\n` +
    (errors.length < 2 ? "" : list(errors.map((error) => escapeHtml(readable(error))))) +
    (urlTemplate === undefined ? "" : `<p>Expected URL: <code>${escapeHtml(urlTemplate)}</code></p>\n`) +
    (nearest.length === 0
      ? ""
      : `<h2>Did you mean</h2>\n${list(nearest.map(({ label, href }) => link(href, label)))}`) +
    (isRight && isSignedIn && ways.length === 0 ? `<p>${escapeHtml(WHOM_TO_ASK)}</p>\n` : "") +
    showActions([...actions, back, { label: "Home", href: `${page.prefix}/` }]) + "\n" +
    `<p class="hint">Error ${httpCode}${showRequest(page)}</p>\n${closePage(frame)}`;
}

/** The end of descriptions for programs; people have a button. */
const TO_LOG_IN = /: log in, or resend with a valid API key( of a user who may)?$/;

/** People who have not logged in do not know that they are a user. */
const ANONYMOUS = /^User "public" (?:has no login for|(may not))/;

/** People send no body. */
const TOO_LARGE = /^The body is too large: at most (\d+) bytes/;

/** The end of descriptions for programs; people have links. */
const NEAREST = /; the nearest (is|are) .*$/s;

const WHOM_TO_ASK = "Ask the administrator of this service for the right, or log in as somebody who has it.";

function otherLogin({ prefix, login, logout }: Page): PageAction {
  return {
    label: logout === undefined ? "Log in" : "Log in as somebody else",
    href: login ?? `${prefix}/login`,
  };
}

function showRequest({ requestId }: Page): string {
  return requestId === undefined ? "" : ` · request <code>${escapeHtml(requestId)}</code>`;
}
