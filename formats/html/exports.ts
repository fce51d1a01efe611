/**
 * Links to a page's data in other formats.
 *
 * @module
 */

import type { Page } from "@/plugins/contract.ts";
import { icon } from "./icons.ts";
import { escapeHtml, escapeLabel } from "./text.ts";

/** The names of formats for people. Absent: the format's own name. */
const NAMES: Readonly<Record<string, string>> = { csv: "CSV", json: "JSON", txt: "Text", xml: "XML" };

/**
 * A menu with the formats of the resource; `rows` is the number of rows in words. Empty without other
 * formats. Files that browsers do not show are called by the name of the resource, because an address may end
 * with a filter.
 */
export function showExports(page: Page, name: string, rows = ""): string {
  const others = page.formats.filter((format) => format !== "html");
  if (others.length === 0) return "";
  // The limit of a page does not apply to downloads in other formats.
  const whole = { limit: page.wholeLimit, offset: undefined };
  const items = others.flatMap((format) => {
    const file = format === "csv" ? `${name}.csv` : undefined;
    const entry = item(page.link(format, whole), NAMES[format] ?? format, file);
    if (file === undefined) return [entry];
    const changes = { ...whole, bom: "true", escape_formulas: "true" };
    return [entry, item(page.link(format, changes), "Spreadsheet (CSV)", file)];
  });
  const schema = others.includes("json")
    ? item(page.link("json", { ...whole, limit: undefined, schema: "true" }), "JSON Schema")
    : "";
  return `<details class="panel end"><summary>${icon("export")}Export${
    rows === "" ? "" : ` ${escapeHtml(rows)}`
  }` +
    `</summary><ul class="drop-in">${items.join("")}${schema}</ul></details>\n`;
}

function item(href: string, label: string, file?: string): string {
  const save = file === undefined ? "" : ` download="${escapeLabel(file)}"`;
  return `<li><a href="${escapeHtml(href)}"${save}>${escapeHtml(label)}</a></li>`;
}
