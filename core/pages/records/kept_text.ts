/**
 * Values that a form cannot send back as they are stored: texts with other line breaks or U+0000, and numbers
 * and bytes of columns without a type. The form has a mark for each, and a value that nobody has changed is
 * not sent to the database. Pure.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Column } from "@/core/catalog.ts";
import type { Value } from "@/core/model.ts";

/** The prefix of the hidden fields with marks, before the column's name. */
export const KEPT = "ui.kept.";

/** The mark of a stored value, which the form shows as `text`; undefined for one that comes back as it is. */
export function keptMark({ type }: Column, stored: Value | undefined, text: string): string | undefined {
  if (stored === null || stored === undefined || type === "binary") return undefined;
  const sent = sentBack(text);
  const isSame = sent === text && (type !== "any" || typeof stored === "string");
  return isSame ? undefined : hash(sent);
}

/** Whether a text from a form is the one that it has shown. */
export function isKept(typed: string, mark: string | undefined): boolean {
  return mark !== undefined && hash(sentBack(typed)) === mark;
}

/** HTML has one line break and no U+0000, and UTF-8 no half of a pair. */
function sentBack(text: string): string {
  return text.replace(/\r\n?/g, "\n").replaceAll("\0", "\ufffd").toWellFormed();
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
