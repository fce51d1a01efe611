/**
 * Pages of documents: lists of databases and tables, settings.
 *
 * @module
 */

import type { Document, Json, Page, WriteOptions } from "@/plugins/contract.ts";
import { closePage, lastSegment, openPage } from "./page.ts";
import { escapeHtml, link, showValue } from "./text.ts";
import { CLOSE_TABLE, openTable } from "./writer.ts";

type JsonObject = { readonly [key: string]: Json };

/** Settings of all pages of one service. */
export interface DocumentSettings {
  /** The product's name, plain text. */
  readonly product: string;
  /** The key of references. */
  readonly refidPrefix: string;
}

/** Lists become tables, references become links, and other values become description lists. */
export function writeDocument(
  document: Document,
  { options, page, settings }: {
    readonly options: WriteOptions;
    readonly page: Page;
    readonly settings: DocumentSettings;
  },
): string {
  const heading = lastSegment(page) || document.name;
  const start = openPage({
    heading,
    product: settings.product,
    charset: options.charset,
    page,
    crumbs: true,
  });
  return start + showTop(document, settings.refidPrefix) + closePage(page);
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
        ? showLabel(plainText(memberOf(item, key)), referenceOf(item, refid))
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

/** The HTML page of an object's reference. */
function referenceOf(value: Json, refid: string): string | undefined {
  const reference = isObject(value) ? memberOf(value, refid) : undefined;
  return typeof reference === "string" ? reference.replace(/\.json(?=$|[?#])/, ".html") : undefined;
}

function showScalar(value: Json | undefined): string {
  return showValue(typeof value === "object" ? null : value);
}

function plainText(value: Json | undefined): string {
  return value === undefined || value === null ? "" : String(value);
}

/** Own members only: a key may be named `constructor`. */
function memberOf(item: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(item, key) ? item[key] : undefined;
}

function isFlat(item: JsonObject): boolean {
  return Object.values(item).every((value) => value === null || typeof value !== "object");
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !isList(value);
}
