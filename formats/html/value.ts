/**
 * Values of cells for people.
 *
 * @module
 */

import type { Cell, Row, ShapeColumn, ValueType } from "@/plugins/contract.ts";
import { escapeHtml, isPlain, markOdd, showCount } from "./text.ts";

/** Longest text in a list, in characters. */
export const LONGEST = 300;
/** Characters of the texts in a row: with many columns each has fewer, so that a page has room for rows. */
const LONGEST_ROW = 18_000;
/** A text that is cut shorter says nothing. */
const SHORTEST = 40;

/** Longest text in a list of so many columns: {@link LONGEST} up to 60 of them. */
export function longestOf(columns: number): number {
  return Math.max(SHORTEST, Math.min(LONGEST, Math.floor(LONGEST_ROW / columns)));
}
/** Bytes of a binary value in its tool tip. */
const SHOWN_BYTES = 48;

const LINK = /^https?:\/\/[^\s<>"]{1,2000}$/i;
/** Only spaces: an empty cell would not tell it from NULL or an empty text. */
const BLANK = /^\s+$/;
/** Most moments: a column may also have years beyond 9999, and in SQLite any text. */
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.Z+-]*(?: BC)?$/;
const MAIL = /^[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+$/;

/** Whether the times of a column are in UTC and do not say so themselves. */
export function isInUtc({ zone, detail }: ShapeColumn): boolean {
  return zone === undefined && detail?.zone === "utc";
}

/** A character of two units of UTF-16. */
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** NULL, which is no text. */
export const NULL = '<span class="null">NULL</span>';

/** The text of a link from a value to a record: there is always something to click on. */
export function linkText(value: Cell | undefined): string {
  if (value === null || value === undefined) return "NULL";
  const text = value instanceof Uint8Array ? value.toBase64() : String(value);
  return text === "" ? "empty" : text.trim() === "" ? "blank" : text;
}

/** How values of a column are shown. */
export interface ValueStyle {
  readonly type: ValueType;
  /** Longest text in characters; undefined: whole. */
  readonly longest?: number | undefined;
  /** The length of a value that is only a beginning; undefined: it is whole. */
  readonly length?: number | undefined;
}

/** The whole length of a value of a page, see {@link ShapeColumn.length}. */
export function lengthIn(row: Row, { length: cell }: ShapeColumn): number | undefined {
  const length = cell === undefined ? null : row[cell];
  return typeof length === "number" ? length : undefined;
}

/** A value as HTML. `whole` is the address of the whole value, for a text that is cut and for bytes. */
export function showValue(
  value: Cell | undefined,
  { type, longest, length }: ValueStyle,
  whole?: string,
): string {
  if (typeof value === "string") return showText(value, { type, longest, length }, whole);
  if (value === null || value === undefined) return NULL;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value instanceof Uint8Array) return showBytes(value, length ?? value.length, whole);
  return Array.isArray(value) ? "" : String(value);
}

function showText(text: string, { type, longest, length }: ValueStyle, whole: string | undefined): string {
  if (text === "") return '<span class="empty">empty</span>';
  if (type === "datetime" && MOMENT.test(text)) return `${text.slice(0, 10)} ${text.slice(11)}`;
  if (longest !== undefined && text.length > longest) return showCut(text, longest, { length, whole });
  if (BLANK.test(text)) return '<span class="empty">blank</span>';
  if (isPlain(text)) return text;
  if (type === "text" || type === "any") {
    const href = LINK.test(text) ? text : MAIL.test(text) ? `mailto:${text}` : undefined;
    if (href !== undefined) {
      return `<a href="${escapeHtml(href)}" rel="noreferrer nofollow">${escapeHtml(text)}</a>`;
    }
  }
  return markOdd(text);
}

function showCut(
  text: string,
  longest: number,
  { length, whole }: { readonly length: number | undefined; readonly whole: string | undefined },
): string {
  // A cut between the halves of a pair would leave a broken character.
  const end = /[\ud800-\udbff]$/.test(text.slice(0, longest)) ? longest - 1 : longest;
  const size = `${showCount(length ?? text.length - (text.match(PAIR)?.length ?? 0))} characters`;
  const more = whole === undefined ? size : `<a href="${escapeHtml(whole)}">${size}</a>`;
  return `<span class="long">${markOdd(text.slice(0, end))}…</span> <span class="more">${more}</span>`;
}

function showBytes(bytes: Uint8Array, length: number, whole: string | undefined): string {
  const start = bytes.subarray(0, SHOWN_BYTES).toBase64() + (bytes.length > SHOWN_BYTES ? "…" : "");
  const size = length === 1 ? "1 byte" : `${showCount(length)} bytes`;
  if (whole !== undefined) {
    return `<a class="binary" href="${escapeHtml(whole)}" title="${start}">${size}</a>`;
  }
  return `<span class="binary" title="${start}">${size}</span>`;
}
