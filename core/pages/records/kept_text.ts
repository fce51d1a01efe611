/**
 * Marks of the values of a record, for its form: a value that comes back unchanged matches its mark and stays
 * as it is stored. Forms could not even send all values: texts have other line breaks or control characters
 * there, and numbers and bytes the type of their column. Pure.
 *
 * @module
 */

import { hash } from "node:crypto";
import type { Column } from "@/core/catalog.ts";
import type { Value } from "@/core/model.ts";

/** The prefix of the hidden fields with marks, before the column's name. */
export const KEPT = "ui.kept.";

/** The mark of a stored value, which the form shows as `text`; undefined for NULL and files. */
export function keptMark({ type }: Column, stored: Value | undefined, text: string): string | undefined {
  if (stored === null || stored === undefined || type === "binary") return undefined;
  return hash("sha256", sentBack(text), "base64url");
}

/** Whether a text from a form is the one that it has shown. */
export function isKept(typed: string, mark: string | undefined): boolean {
  return mark !== undefined && hash("sha256", sentBack(typed), "base64url") === mark;
}

/** Whether somebody has left the value of a column as the form has shown it. */
export function isLeft(column: string, values: ReadonlyMap<string, readonly string[]>): boolean {
  const [typed = ""] = values.get(`c.${column}`) ?? [];
  if (!values.has(`n.${column}`)) return isKept(typed, values.get(KEPT + column)?.[0]);
  return typed === "" && values.get("ui.null")?.includes(column) === true;
}

/** Whether a column still holds the value that the form has shown; it would show it as `text` now. */
export function isAsShown(
  column: string,
  { stored, text, values }: {
    readonly stored: Value;
    readonly text: string;
    readonly values: ReadonlyMap<string, readonly string[]>;
  },
): boolean {
  const [mark] = values.get(KEPT + column) ?? [];
  if (stored !== null) return isKept(text, mark);
  return mark === undefined && values.get("ui.null")?.includes(column) === true;
}

/** Pages have one line break, and no character that is neither of HTML nor of XML. */
function sentBack(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(UNREPRESENTABLE, "\ufffd").toWellFormed();
}

// deno-lint-ignore no-control-regex -- control characters are what has to be found
const UNREPRESENTABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]/g;
