/**
 * Pages with a form: the login, the first run. They need no script.
 *
 * @module
 */

import type { Button, Form, FormField, FormPage } from "@/plugins/contract.ts";
import { CLOSE_PLAIN_PAGE, openPage, type PageFrame } from "./page.ts";
import { escapeHtml } from "./text.ts";

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
