/**
 * Values that a form cannot send back as they are stored: texts with other line breaks or with control
 * characters, and numbers and bytes where the column has another type or none. The form has a mark for each:
 * an unchanged value matches its mark and stays as it is stored. Pure.
 *
 * @module
 */

import { hash } from "node:crypto";
import type { Column } from "@/core/catalog.ts";
import type { Value, ValueType } from "@/core/model.ts";
import { isNumeric } from "@/core/summaries/ranges.ts";

/** The prefix of the hidden fields with marks, before the column's name. */
export const KEPT = "ui.kept.";

/** The mark of a stored value, which the form shows as `text`; undefined for one that comes back as it is. */
export function keptMark({ type }: Column, stored: Value | undefined, text: string): string | undefined {
  if (stored === null || stored === undefined || type === "binary") return undefined;
  const sent = sentBack(text);
  return sent === String(stored) && !isMisplaced(type, stored)
    ? undefined
    : hash("sha256", sent, "base64url");
}

/** Whether a value is a number where forms send none: SQLite checks no types, MySQL no booleans. */
function isMisplaced(type: ValueType, value: Value): boolean {
  if (typeof value !== "number" && typeof value !== "bigint") return false;
  return !isNumeric(type) || (type === "integer" && !Number.isInteger(Number(value)));
}

/** Whether a text from a form is the one that it has shown. */
export function isKept(typed: string, mark: string | undefined): boolean {
  return mark !== undefined && hash("sha256", sentBack(typed), "base64url") === mark;
}

/** Pages have one line break, and no character that is neither of HTML nor of XML. */
function sentBack(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(UNREPRESENTABLE, "\ufffd").toWellFormed();
}

// deno-lint-ignore no-control-regex -- control characters are what has to be found
const UNREPRESENTABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]/g;
