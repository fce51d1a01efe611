/**
 * One field of a CSV line, quoted as RFC 4180 asks.
 *
 * @module
 */

import type { Cell } from "@/plugins/contract.ts";

/** Encodes one cell. */
export type FieldEncoder = (cell: Cell | undefined) => string;

/** What stands between fields: the comma, or what spreadsheets use where a comma is the decimal point. */
export type Delimiter = "," | ";";

/**
 * Both delimiters are quoted, so that a reader can tell from the first line which of them is meant. So is white space at
 * either end: many readers trim it.
 */
const NEEDS_QUOTES = /[",;\r\n]|^\s|\s$/;

/**
 * The encoder for one answer. Without a marker NULL is an empty field; with one, a value that reads like the marker
 * is quoted, so that the two differ. Values are never changed, not even those that a spreadsheet takes for formulas.
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

/** Ends a line. A line of one empty field would be blank, which readers skip; quoted it is a record. */
export function endLine(fields: string): string {
  return fields === "" ? '""\r\n' : fields + "\r\n";
}

/** True where a field of this text stands in quotes whatever it means. */
export function needsQuotes(text: string): boolean {
  return NEEDS_QUOTES.test(text);
}

/** A cell's text before it is quoted; NULL and rows have none. */
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
