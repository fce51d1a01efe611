/**
 * One field of a CSV line, quoted by the rules of RFC 4180.
 *
 * @module
 */

import type { Cell } from "@/plugins/contract.ts";

/** Encodes one cell. */
export type FieldEncoder = (cell: Cell | undefined) => string;

/** The separator of fields: the comma, or the one of spreadsheets where a comma is the decimal point. */
export type Delimiter = "," | ";";

/**
 * Both delimiters are quoted, so that a reader finds the delimiter in the first line. White space at either end is quoted
 * because many readers trim it.
 */
const NEEDS_QUOTES = /[",;\r\n]|^\s|\s$/;

/**
 * The encoder for one answer. Without a marker NULL is an empty field; with one, a value that equals the marker is
 * quoted, so that the two differ. Values are never changed, even if a spreadsheet reads them as formulas.
 */
export function compileField(nullMarker: string | undefined): FieldEncoder {
  const nullField = nullMarker === undefined ? "" : quoteWhereNeeded(nullMarker);
  return (cell) => {
    if (cell === null || cell === undefined) return nullField;
    const text = typeof cell === "string" ? cell : encodeCell(cell);
    if (text === nullMarker || needsQuotes(text)) return quote(text);
    return text;
  };
}

/** Ends a line. A line of one empty field would be blank, and readers skip blank lines; quoted it is a record. */
export function endLine(fields: string): string {
  return fields === "" ? '""\r\n' : fields + "\r\n";
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

function quoteWhereNeeded(text: string): string {
  return needsQuotes(text) ? quote(text) : text;
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
