/**
 * Text of elements and attributes.
 *
 * @module
 */

import type { Cell, ValueType } from "@/plugins/contract.ts";
import { TEXTUAL } from "@/plugins/kit/formats.ts";

/** Characters that may need escaping, including surrogates, which may be paired. */
// deno-lint-ignore no-control-regex -- control characters are what has to be found
const SUSPECT = /[&<>\r\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/;
/** Characters that XML 1.0 cannot represent. */
// deno-lint-ignore no-control-regex -- control characters are what has to be found
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/gu;

/** Carriage returns become references, because parsers convert plain ones to line feeds. */
const IN_TEXT: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;" };
const IN_ATTRIBUTE: Readonly<Record<string, string>> = {
  ...IN_TEXT,
  '"': "&quot;",
  "\t": "&#9;",
  "\n": "&#10;",
};

/** Escapes text for element content; characters that XML forbids are dropped. */
export function escapeText(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replace(FORBIDDEN, "").replace(/[&<>\r]/g, (character) => IN_TEXT[character] ?? "");
}

/** Escapes text for double-quoted attributes. */
export function escapeAttribute(text: string): string {
  return text.replace(FORBIDDEN, "").replace(/[&<>"\t\n\r]/g, (character) => IN_ATTRIBUTE[character] ?? "");
}

/** A value in the lexical form of XML Schema; empty for NULL and rows. */
export function encodeValue(cell: Cell | undefined): string {
  switch (typeof cell) {
    case "string":
      return escapeText(cell);
    case "number":
      return encodeNumber(cell);
    case "bigint":
    case "boolean":
      return String(cell);
    default:
      return cell instanceof Uint8Array ? cell.toBase64() : "";
  }
}

function encodeNumber(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value);
  return value > 0 ? "INF" : "-INF";
}

/**
 * Removes white space around a value that is not text: for XML Schema it is no part of such a value (Part 2,
 * section 4.3.6).
 */
export function collapse(text: string, type: ValueType = "any"): string {
  return TEXTUAL.has(type) ? text : text.trim();
}
