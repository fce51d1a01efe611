/**
 * Text of elements and attributes.
 *
 * @module
 */

import type { Cell } from "@/plugins/contract.ts";

/** Anything that may need care. Surrogates are among it: whether they are paired is looked at only then. */
// deno-lint-ignore no-control-regex -- control characters are what has to be found
const SUSPECT = /[&<>\r\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/;
/** What XML 1.0 cannot hold in any form. */
// deno-lint-ignore no-control-regex -- control characters are what has to be found
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/gu;

/** Carriage returns are written as references because a parser would make line feeds of them. */
const IN_TEXT: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;" };
const IN_ATTRIBUTE: Readonly<Record<string, string>> = {
  ...IN_TEXT,
  '"': "&quot;",
  "\t": "&#9;",
  "\n": "&#10;",
};

/** Text between tags; characters that XML forbids are dropped. */
export function escapeText(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replace(FORBIDDEN, "").replace(/[&<>\r]/g, (character) => IN_TEXT[character] ?? "");
}

/** Text between double quotes. */
export function escapeAttribute(text: string): string {
  return text.replace(FORBIDDEN, "").replace(
    /[&<>"\t\n\r]/g,
    (character) => IN_ATTRIBUTE[character] ?? "",
  );
}

/** A value as XML Schema writes its type. NULL and rows have no text of their own. */
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
