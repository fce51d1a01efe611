/**
 * Links to a page's data in other formats.
 *
 * @module
 */

import type { Page } from "@/plugins/contract.ts";
import { icon } from "./icons.ts";
import { escapeHtml } from "./text.ts";

/** The names of formats for people. Absent: the format's own name. */
const NAMES: Readonly<Record<string, string>> = { csv: "CSV", json: "JSON", txt: "Text", xml: "XML" };

/**
 * A menu with the formats of the resource; `rows` is the number of rows in
 * words. Empty without other formats.
 */
export function showExports(page: Page, rows = ""): string {
  const others = page.formats.filter((format) => format !== "html");
  if (others.length === 0) return "";
  // The limit of a page does not apply to downloads in other formats.
  const whole = { limit: page.wholeLimit, offset: undefined };
  const items = others.flatMap((format) => {
    const entry = item(page.link(format, whole), NAMES[format] ?? format);
    return format === "csv"
      ? [
        entry,
        item(page.link(format, { ...whole, bom: "true", escape_formulas: "true" }), "Spreadsheet (CSV)"),
      ]
      : [entry];
  });
  const schema = others.includes("json")
    ? item(page.link("json", { ...whole, limit: undefined, schema: "true" }), "JSON Schema")
    : "";
  return `<details class="panel end"><summary>${icon("export")}Export${
    rows === "" ? "" : ` ${escapeHtml(rows)}`
  }` +
    `</summary><ul class="drop-in">${items.join("")}${schema}</ul></details>\n`;
}

function item(href: string, label: string): string {
  return `<li><a href="${escapeHtml(href)}">${escapeHtml(label)}</a></li>`;
}
