/**
 * One field of a CSV line, quoted by the rules of RFC 4180.
 *
 * @module
 */

import type { Cell } from "@/plugins/contract.ts";
import { escapeFormula } from "@/plugins/kit/formats.ts";

/**
 * Every delimiter is quoted, so that a reader finds the delimiter in the first line. White space at either
 * end is quoted because many readers trim it.
 */
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;

/**
 * The encoder of cells for one answer. Without a marker NULL is an empty field; with one, a value that
 * equals the marker is quoted, so that the two differ. Values are changed only with `escapeFormulas`, for
 * people who open them in a spreadsheet.
 */
export function compileField(
  nullMarker: string | undefined,
  escapeFormulas = false,
): (cell: Cell | undefined) => string {
  const nullField = nullMarker !== undefined && needsQuotes(nullMarker)
    ? quote(nullMarker)
    : nullMarker ?? "";
  return (cell) => {
    if (cell === null || cell === undefined) return nullField;
    const written = typeof cell === "string" ? cell : encodeCell(cell);
    const text = escapeFormulas ? escapeFormula(written) : written;
    return text === nullMarker || needsQuotes(text) ? quote(text) : text;
  };
}

/** Whether a field with this text needs quotes, whatever its meaning. */
export function needsQuotes(text: string): boolean {
  return NEEDS_QUOTES.test(text);
}

/** A cell's text before quoting; empty for NULL and rows. */
export function encodeCell(cell: Cell): string {
  if (typeof cell === "string") return cell;
  if (cell instanceof Uint8Array) return cell.toBase64();
  return cell === null || Array.isArray(cell) ? "" : String(cell);
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
