/**
 * Texts, links and tables in Markdown.
 *
 * @module
 */

import type { Cell, PageText } from "@/plugins/contract.ts";

/** A text in one line, of which no character is markup. */
export function plain(text: string): string {
  return text
    .replace(/[\\`*_~[\]<>|#]|&(?=#?\w+;)/g, "\\$&")
    .replace(/\r\n|[\r\n\u2028\u2029]/g, "<br>")
    .replace(/\p{Cc}/gu, (control) => `&#${control.charCodeAt(0)};`);
}

/** A text for programs, between more backticks than it has; a bar would end the cell of a table. */
export function code(text: string): string {
  if (text === "") return "(empty)";
  const fence = "`".repeat(Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length)) + 1);
  return `${fence} ${text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").replaceAll("|", "\\|")} ${fence}`;
}

/** A link to a page of the service, in this format. Without an address it is text. */
export function link(label: string, href: string | undefined): string {
  return href === undefined ? plain(label) : anchor(label, own(href));
}

/** The address of the same page in this format. */
export function own(href: string): string {
  return href.replace(/\.html(?=[?#]|$)/, ".md");
}

/** A link as it is. */
export function anchor(label: string, href: string): string {
  return `[${plain(label)}](${href.replace(/[()<>\\\s]/g, encodeURIComponent)})`;
}

/** A text of a page; a problem is strong. */
export function shown(value: PageText): string {
  if (typeof value === "string") return plain(value);
  const { text, href, tone, isCode } = value;
  const inner = isCode && href === undefined ? code(text) : link(text, href);
  return tone === "problem" ? `**${inner}**` : inner;
}

/** A value of the data. Bytes are base64, and expanded records are left out. */
export function valueOf(cell: Cell | undefined, nullText = ""): string {
  if (cell === null || cell === undefined) return nullText;
  if (cell instanceof Uint8Array) return cell.toBase64();
  return Array.isArray(cell) ? "" : plain(String(cell));
}

/** A line of a table; its cells are Markdown. */
export function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |\n`;
}

/** The first two lines of a table. */
export function head(columns: readonly { readonly label: string; readonly isNumber?: boolean }[]): string {
  return line(columns.map(({ label }) => plain(label))) +
    line(columns.map(({ isNumber }) => isNumber ? "--:" : "---"));
}

/** Lines of a list. */
export function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}\n`).join("");
}
