/**
 * Cells of a sheet as XML, without their place. A value that a spreadsheet would change is a text, so that
 * every digit is kept, and no value is ever a formula.
 *
 * @module
 */

import type { Cell, ValueType } from "@/plugins/contract.ts";
import { serialOf } from "./dates.ts";

/** The styles of cells, by their position in the table of styles; 0 is the usual one. */
const STYLES = { date: 1, datetime: 2 } as const;

/** The content of `<c r="A1"` and what follows; empty for NULL, which has no cell. */
export function cellXml(cell: Cell, type: ValueType): string {
  switch (typeof cell) {
    case "boolean":
      return ` t="b"><v>${cell ? 1 : 0}</v></c>`;
    case "number":
      return Number.isFinite(cell) &&
          !(Number.isInteger(cell) && type !== "float" && !Number.isSafeInteger(cell))
        ? ` t="n"><v>${cell}</v></c>`
        : textXml(String(cell));
    case "bigint":
      return Number.isSafeInteger(Number(cell)) ? ` t="n"><v>${cell}</v></c>` : textXml(String(cell));
    case "string":
      return (type === "date" || type === "datetime" ? dateXml(cell, type) : undefined) ?? textXml(cell);
    default:
      if (cell === null) return "";
      return textXml(cell instanceof Uint8Array ? cell.toBase64() : JSON.stringify(cell));
  }
}

/** Undefined for a date that a spreadsheet cannot hold as it is. */
function dateXml(text: string, type: keyof typeof STYLES): string | undefined {
  const serial = serialOf(text, type);
  return serial === undefined ? undefined : ` s="${STYLES[type]}" t="n"><v>${serial}</v></c>`;
}

function textXml(text: string): string {
  return ` t="inlineStr"><is><t xml:space="preserve">${escapeText(text)}</t></is></c>`;
}

/** Units that XML or its readers would lose, and texts that look like their escapes. */
// deno-lint-ignore no-control-regex -- these are escaped
const LOST = /[\0-\x08\x0b-\x1f\ufffe\uffff]|\p{Cs}|_(?=x[0-9A-Fa-f]{4}_)/gu;
const MARKUP: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function escapeText(text: string): string {
  return text
    .replace(LOST, (unit) => `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`)
    .replace(/[&<>]/g, (character) => MARKUP[character] ?? "");
}

/** A text as it was before it was escaped. */
export function unescapeText(text: string): string {
  return text.replace(
    /_x([0-9A-Fa-f]{4})_/g,
    (_, digits: string) => String.fromCharCode(parseInt(digits, 16)),
  );
}
