/**
 * Pages of blocks.
 *
 * @module
 */

import type {
  ChartModel,
  PageBlock,
  PageChart,
  PageDiagram,
  PageExplorer,
  PageFacts,
  PageLink,
  PageLinks,
  PageSection,
  PageTable,
  PageText,
  PageView,
} from "@/plugins/contract.ts";
import { escapeFormula } from "@/plugins/kit/formats.ts";
import { chartSvg } from "./charts/chart.ts";
import { diagramSvg } from "./charts/diagram.ts";
import { icon } from "./icons.ts";
import { closePage, openPage, type PageFrame, showMessage, showNarrow } from "./page.ts";
import { showCode } from "./programs.ts";
import { numberClass } from "./table.ts";
import { escapeHtml, link, markOdd } from "./text.ts";
import { showPageForm } from "./view_form.ts";

/** The whole page. */
export function writeView(view: PageView, frame: PageFrame): string | Promise<string> {
  const pictures = leavesOf(view.blocks).filter((block) =>
    block.kind === "chart" || block.kind === "diagram"
  );
  if (pictures.length === 0) return writeDrawn(view, { ...frame, drawn: new Map() });
  return drawAll(pictures).then((drawn) => writeDrawn(view, { ...frame, drawn }));
}

/** The frame with the pictures of the page. */
interface DrawnFrame extends PageFrame {
  readonly drawn: ReadonlyMap<Picture, string>;
}

type Picture = PageChart | PageDiagram;

/** The blocks, with those inside sections in place of the sections. */
function leavesOf(blocks: readonly PageBlock[]): readonly Exclude<PageBlock, PageSection>[] {
  return blocks.flatMap((block) => block.kind === "section" ? leavesOf(block.blocks) : [block]);
}

async function drawAll(pictures: readonly Picture[]): Promise<ReadonlyMap<Picture, string>> {
  const drawn = pictures.map(async (picture) => {
    const svg = picture.kind === "chart" ? await chartSvg(picture.chart) : await diagramSvg(picture.diagram);
    return [picture, svg] as const;
  });
  return new Map(await Promise.all(drawn));
}

function writeDrawn({ title, lead, actions = [], blocks, refresh }: PageView, frame: DrawnFrame): string {
  const files = filesFor(blocks);
  const heading = { title, actions, files, ...(refresh === undefined ? {} : { refresh }) };
  return openPage(heading, frame) +
    (lead === undefined ? "" : `<p class="lead">${markOdd(lead)}</p>\n`) +
    showBlocks(blocks, frame) + closePage(frame);
}

/** The files that blocks need beside those of every page. */
function filesFor(blocks: readonly PageBlock[]): readonly string[] {
  const leaves = leavesOf(blocks);
  const fields = leaves.flatMap((block) => block.kind === "form" ? block.fields : []);
  return [
    ...(leaves.some(({ kind }) => kind === "explorer") ? ["explorer.css", "explorer.js"] : []),
    ...(fields.some((field) => field.kind === "field" && field.sql) ? ["editor.js"] : []),
  ];
}

function showBlocks(blocks: readonly PageBlock[], frame: DrawnFrame, id = "b"): string {
  return blocks.map((block, index) => showBlock(block, `${id}${index}`, frame)).join("");
}

/** `id` is unique on the page. */
function showBlock(block: PageBlock, id: string, frame: DrawnFrame): string {
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
    case "chart":
      return showChart(block, frame);
    case "diagram":
      return showDiagram(block, frame);
    case "explorer":
      return showExplorer(block, id, frame);
    default:
      return block satisfies never;
  }
}

function showSection({ title, id, blocks, folded }: PageSection, frame: DrawnFrame): string {
  const content = blocks.map((block, index) => showBlock(block, `${id}-${index}`, frame)).join("");
  if (folded !== undefined) {
    return `<details class="fold" id="${escapeHtml(id)}"${folded ? "" : ' open="open"'}>` +
      `<summary>${escapeHtml(title)}</summary>\n${content}</details>\n`;
  }
  return `<section aria-labelledby="${escapeHtml(id)}">\n` +
    `<h2 id="${escapeHtml(id)}">${escapeHtml(title)}</h2>\n${content}</section>\n`;
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
  const below = note === undefined || note === "" ? "" : `<p>${markOdd(note)}</p>`;
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

function showPageText(value: PageText): string {
  if (typeof value === "string") return markOdd(value);
  const { text, href, tone = "plain", isCode } = value;
  const shown = isCode ? `<code>${markOdd(text)}</code>` : markOdd(text);
  const linked = href === undefined ? shown : `<a href="${escapeHtml(href)}">${shown}</a>`;
  return tone === "plain" ? linked : `<span class="${tone}">${linked}</span>`;
}

/** The picture with its sentence, and links to it and to its numbers, which work without script. */
function showChart(block: PageChart, { drawn }: DrawnFrame): string {
  const svg = drawn.get(block) ?? "";
  const { sentence } = block.chart;
  const csv = csvRows(block.chart).map((row) => row.map(csvField).join(",")).join("\r\n");
  return `<figure>${wide("Chart", svg)}<figcaption>${markOdd(sentence)} ` +
    `${download("chart.svg", "image/svg+xml", svg, "Download SVG")} ` +
    `${download("chart.csv", "text/csv", csv, "Download CSV")}</figcaption></figure>\n`;
}

/** Ranges have both ends. */
function csvRows({ x, y, items }: ChartModel): readonly (readonly string[])[] {
  const hasRanges = items.some(({ to }) => to !== undefined);
  return [
    [...(hasRanges ? [`${x.title} from`, `${x.title} to`] : [x.title]), y.title],
    ...items.map((item) => [String(item.x), ...(hasRanges ? [String(item.to ?? "")] : []), String(item.y)]),
  ];
}

function csvField(text: string): string {
  const safe = escapeFormula(text);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function download(name: string, type: string, content: string, label: string): string {
  // Base64 would hide from compression that the page has the same text already.
  const data = content.replace(/[%#\t\r\n]/g, encodeURIComponent);
  return `<a download="${name}" href="${escapeHtml(`data:${type},${data}`)}">${label}</a>`;
}

/** A picture that scrolls sideways where there is no room for it. */
function wide(label: string, svg: string): string {
  return `<div class="wide" role="group" aria-label="${label}" tabindex="0">${svg}</div>`;
}

function showDiagram(block: PageDiagram, { drawn }: DrawnFrame): string {
  return `<figure>${wide("Diagram", drawn.get(block) ?? "")}<figcaption>${
    escapeHtml(block.diagram.sentence)
  }</figcaption></figure>\n`;
}

function showExplorer({ document, otherwise }: PageExplorer, id: string, frame: DrawnFrame): string {
  const { csrfToken } = frame.page;
  const token = csrfToken === undefined ? "" : ` data-token="${escapeHtml(csrfToken)}"`;
  return `<div class="explorer" data-document="${escapeHtml(document)}"${token}></div>\n` +
    `<noscript>\n${showBlocks(otherwise, frame, `${id}-otherwise`)}</noscript>\n`;
}
