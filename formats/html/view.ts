/**
 * Pages of blocks.
 *
 * @module
 */

import type {
  PageBlock,
  PageCode,
  PageFacts,
  PageLink,
  PageLinks,
  PageSection,
  PageTable,
  PageText,
  PageView,
} from "@/plugins/contract.ts";
import { icon } from "./icons.ts";
import { CLOSE_PAGE, openPage, type PageFrame, showMessage, showNarrow } from "./page.ts";
import { escapeHtml, link } from "./text.ts";
import { markOdd } from "./value.ts";
import { showPageForm } from "./view_form.ts";

/** The whole page. */
export function writeView(
  { title, lead, actions = [], blocks, refresh }: PageView,
  frame: PageFrame,
): string {
  const heading = { title, actions, ...(refresh === undefined ? {} : { refresh }) };
  return openPage(heading, frame) +
    (lead === undefined ? "" : `<p class="lead">${escapeHtml(lead)}</p>\n`) +
    showBlocks(blocks, frame) + CLOSE_PAGE;
}

function showBlocks(blocks: readonly PageBlock[], frame: PageFrame, id = "b"): string {
  return blocks.map((block, index) => showBlock(block, `${id}${index}`, frame)).join("");
}

/** `id` is unique on the page. */
function showBlock(block: PageBlock, id: string, frame: PageFrame): string {
  switch (block.kind) {
    case "text":
      return `<p class="text">${escapeHtml(block.text)}</p>\n`;
    case "notice":
      return showMessage(block);
    case "section":
      return showSection(block, frame);
    case "links":
      return showLinks(block);
    case "facts":
      return showFacts(block);
    case "table":
      return showTable(block, id);
    case "form":
      return showPageForm(block, id, frame.page, showBlocks(block.before ?? [], frame, `${id}-before`));
    case "code":
      return showCode(block);
    default:
      return block satisfies never;
  }
}

function showSection({ title, id, blocks, folded }: PageSection, frame: PageFrame): string {
  const content = blocks.map((block, index) => showBlock(block, `${id}-${index}`, frame)).join("");
  if (folded !== undefined) {
    return `<details class="fold" id="${escapeHtml(id)}"${folded ? "" : ' open="open"'}>` +
      `<summary>${escapeHtml(title)}</summary>\n${content}</details>\n`;
  }
  return `<section aria-labelledby="${escapeHtml(id)}">\n<h2 id="${escapeHtml(id)}">${
    escapeHtml(title)
  }</h2>\n` +
    `${content}</section>\n`;
}

function showLinks({ style, items, empty }: PageLinks): string {
  if (items.length === 0) return empty === undefined ? "" : `<p class="none">${escapeHtml(empty)}</p>\n`;
  return `<ul class="${style}">\n${items.map((item) => showLink(item, style)).join("")}</ul>\n`;
}

function showLink({ label, href, note, status, isDone }: PageLink, style: PageLinks["style"]): string {
  const mark = style === "steps" ? icon(isDone ? "done" : "todo") : "";
  const done = isDone ? `<span class="hidden"> (done)</span>` : "";
  const state = status === undefined
    ? ""
    : ` <span class="status ${status.tone}">${escapeHtml(status.text)}</span>`;
  const name = href === undefined ? `<strong>${markOdd(label)}</strong>` : link(href, label);
  const below = note === undefined || note === "" ? "" : `<p>${escapeHtml(note)}</p>`;
  return `<li${isDone ? ' class="done"' : ""}>${mark}${name}${done}${state}${below}</li>\n`;
}

function showFacts({ items }: PageFacts): string {
  const shown = items.map(({ label, value, note }) => {
    const below = note === undefined ? "" : `<p class="hint">${escapeHtml(note)}</p>`;
    return `<dt>${escapeHtml(label)}</dt><dd>${showPageText(value)}${below}</dd>\n`;
  });
  return `<dl class="facts">\n${shown.join("")}</dl>\n`;
}

function showTable({ caption, columns, rows, empty, narrow }: PageTable, id: string): string {
  if (rows.length === 0) return `<p class="none">${escapeHtml(empty)}</p>\n`;
  const head = columns.map(({ label, isNumber }) =>
    `<th scope="col"${numberClass(isNumber)}>${escapeHtml(label)}</th>`
  );
  const body = rows.map((row) => {
    const cells = row.map((text, index) =>
      `<td${numberClass(columns[index]?.isNumber)}>${showPageText(text)}</td>`
    );
    return `<tr>${cells.join("")}</tr>\n`;
  });
  return showNarrow(narrow, id) +
    `<section class="scroll" aria-labelledby="${id}-caption" tabindex="0">\n<table id="${id}">\n` +
    `<caption class="hidden" id="${id}-caption">${escapeHtml(caption)}</caption>\n` +
    `<thead><tr>${head.join("")}</tr></thead>\n<tbody>\n${body.join("")}</tbody>\n</table>\n</section>\n`;
}

function numberClass(isNumber = false): string {
  return isNumber ? ' class="number"' : "";
}

function showPageText(value: PageText): string {
  if (typeof value === "string") return markOdd(value);
  const { text, href, tone = "plain", isCode } = value;
  const shown = isCode ? `<code>${markOdd(text)}</code>` : markOdd(text);
  const linked = href === undefined ? shown : `<a href="${escapeHtml(href)}">${shown}</a>`;
  return tone === "plain" ? linked : `<span class="${tone}">${linked}</span>`;
}

function showCode({ label, text }: PageCode): string {
  return `<h3>${escapeHtml(label)}</h3>\n` +
    `<div class="copy" data-label="${escapeHtml(label)}"><pre tabindex="0" aria-label="${
      escapeHtml(label)
    }">${escapeHtml(text)}</pre></div>\n`;
}
