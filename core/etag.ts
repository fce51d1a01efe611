/**
 * Entity tags of single records: `"{record}-{representation}"`. The first part is a hash of the record's values and is what
 * `If-Match` compares; the second tells apart formats and parameters, and covers expanded relations.
 *
 * @module
 */

import { hash } from "node:crypto";
import type { Cell, Row } from "./model.ts";

/** A hash of a record's own values. Types are part of it: `1` and `"1"` differ. */
export function hashRecord(row: Row): string {
  let text = "";
  for (const cell of row) text += describe(cell);
  return digest(text);
}

/** The tag of a record's representation; cells beyond its own columns are expanded relations. */
export function recordTag(
  row: Row,
  of: { readonly columns: number; readonly representation: string },
): string {
  if (row.length <= of.columns) return `${hashRecord(row)}-${of.representation}`;
  const related = digest(`${of.representation}${hashRecord(row.slice(of.columns))}`);
  return `${hashRecord(row.slice(0, of.columns))}-${related}`;
}

/** A hash of anything that a representation depends on. */
export function hashRepresentation(text: string): string {
  return digest(text);
}

/** The tags of `If-Match` or `If-None-Match`: what stands between the quotes, weak or not. `*` is one of its own. */
export function parseTags(header: string): readonly string[] {
  if (header.trim() === "*") return ["*"];
  return [...header.matchAll(/(?:W\/)?"([^"]*)"/g)].map(([, tag]) => tag ?? "");
}

/** Whether one of the tags is of a record with this hash, in whatever representation. */
export function matchesRecord(tags: readonly string[], record: string): boolean {
  return tags.some((tag) => tag === "*" || tag === record || tag.startsWith(`${record}-`));
}

/** 96 bits: two versions of one record collide practically never. */
function digest(text: string): string {
  return hash("sha256", text, "hex").slice(0, 24);
}

/** A cell's type, length and content, so that no two rows give the same text. */
function describe(cell: Cell): string {
  if (cell === null) return "-";
  if (typeof cell === "string") return `s${cell.length}:${cell}`;
  if (typeof cell === "object") {
    return cell instanceof Uint8Array ? `x${cell.toBase64()};` : `[${cell.map(hashRecord).join()}]`;
  }
  return `${cell};`;
}
