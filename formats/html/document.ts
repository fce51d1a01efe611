/**
 * Pages of documents: lists of databases and tables, settings.
 *
 * @module
 */

import type { Document, Json, JsonObject } from "@/plugins/contract.ts";
import { isList, isObject, referenceOf } from "@/plugins/kit/formats.ts";
import { showExports } from "./exports.ts";
import { closePage, openPage, type PageFrame } from "./page.ts";
import { CLOSE_TABLE, openTable } from "./table.ts";
import { escapeHtml, link } from "./text.ts";
import { NULL, showValue } from "./value.ts";

/**
 * Lists become tables, references become links, and other values become description lists.
 * `refid` is the key of references.
 */
export function writeDocument(document: Document, frame: PageFrame, refid: string): string {
  const { page } = frame;
  const title = page.crumbs.at(-1)?.label ?? document.name;
  return openPage({ title, tools: showExports(page, title) }, frame) + showTop(document, refid) +
    closePage(frame);
}

function showTop(document: Document, refid: string): string {
  const { tree } = document;
  if (!isList(tree)) return showTree(tree, refid) + "\n";
  if (tree.length === 0) return showTable(document.name, document.columns, "");
  const items = tree.filter(isObject);
  return items.length === tree.length && items.every(isFlat)
    ? showRecords(document.name, items, refid)
    : showTree(tree, refid) + "\n";
}

/** The first column links to the item's reference. */
function showRecords(name: string, items: readonly JsonObject[], refid: string): string {
  const keys = [...new Set(items.flatMap((item) => Object.keys(item)))].filter((key) => key !== refid);
  const rows = items.map((item) => {
    const cells = keys.map((key, index) => {
      const text = index === 0
        ? showLabel(String(memberOf(item, key) ?? ""), referenceOf(item, refid))
        : showScalar(memberOf(item, key));
      return `<td>${text}</td>`;
    });
    return `<tr>${cells.join("")}</tr>\n`;
  });
  return showTable(name, keys, rows.join(""));
}

function showTable(caption: string, columns: readonly string[], rows: string): string {
  const head = columns.map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join("");
  return `${openTable(caption)}<thead><tr>${head}</tr></thead>\n<tbody>\n${rows}${CLOSE_TABLE}`;
}

function showTree(tree: Json, refid: string): string {
  if (isList(tree)) return showItems(tree.map((item) => showTree(item, refid)));
  if (!isObject(tree)) return showScalar(tree);
  const members = Object.entries(tree).filter(([key]) => key !== refid);
  if (members.length === 0) return "";
  if (members.every(([, value]) => referenceOf(value, refid) !== undefined)) {
    return showItems(
      members.map(([key, value]) => showLabel(key, referenceOf(value, refid)) + showTree(value, refid)),
    );
  }
  const terms = members.map(([key, value]) =>
    `<dt>${showLabel(key, referenceOf(value, refid))}</dt><dd>${showTree(value, refid)}</dd>`
  );
  return `<dl>${terms.join("\n")}</dl>`;
}

function showItems(items: readonly string[]): string {
  return items.length === 0
    ? '<span class="none">none</span>'
    : `<ul>${items.map((item) => `<li>${item}</li>`).join("\n")}</ul>`;
}

function showLabel(label: string, reference: string | undefined): string {
  return reference === undefined ? escapeHtml(label) : link(reference, label);
}

function showScalar(value: Json | undefined): string {
  return value === undefined || typeof value === "object" ? NULL : showValue(value, { type: "any" });
}

/** Own members only: a key may be named `constructor`. */
function memberOf(item: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(item, key) ? item[key] : undefined;
}

function isFlat(item: JsonObject): boolean {
  return Object.values(item).every((value) => value === null || typeof value !== "object");
}
