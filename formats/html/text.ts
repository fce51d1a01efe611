/**
 * Text of elements and attributes. The result is both HTML and well-formed XML, so that any XML parser can check it.
 *
 * @module
 */

import type { Cell } from "@/plugins/contract.ts";

// deno-lint-ignore no-control-regex -- control characters are what has to be found
const SUSPECT = /[&<>"\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]/;
/** Characters that HTML cannot represent; shown as the replacement character. */
// deno-lint-ignore no-control-regex -- control characters are what has to be found
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};
/** Bytes of a binary value in its tool tip. */
const SHOWN_BYTES = 48;

/** Escapes text for element content and for double-quoted attributes. */
export function escapeHtml(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text.replace(FORBIDDEN, "\ufffd").replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}

/** A value as HTML; NULL and bytes look different from text. */
export function showValue(value: Cell | undefined): string {
  if (typeof value === "string") return escapeHtml(value);
  if (value === null || value === undefined) return '<span class="null">NULL</span>';
  if (value instanceof Uint8Array) return showBytes(value);
  return Array.isArray(value) ? "" : String(value);
}

/** A link; `label` is plain text. */
export function link(href: string, label: string): string {
  return `<a href="${escapeHtml(href)}">${escapeHtml(label)}</a>`;
}

function showBytes(bytes: Uint8Array): string {
  const start = bytes.subarray(0, SHOWN_BYTES).toBase64() + (bytes.length > SHOWN_BYTES ? "…" : "");
  const size = bytes.length === 1 ? "1 byte" : `${bytes.length} bytes`;
  return `<span class="binary" title="${start}">${size}</span>`;
}
