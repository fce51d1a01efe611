/**
 * Entity tags of single records: `"{record}-{representation}"`. The first part is a hash of the
 * record's values; `If-Match` compares it. The second part distinguishes formats and
 * parameters, and covers expanded relations.
 *
 * @module
 */

import { badRequest, type ServiceError } from "@/core/errors.ts";
import type { Cell, Row } from "@/core/model.ts";

/**
 * A hash of a record's values. Types are part of it: `1` and `"1"` differ.
 *
 * 60 bits of two lanes, multiplied and finished as in MurmurHash3. Not cryptographic: accidental collisions
 * between two versions of one record are negligible, and a deliberate one gains nothing. One plain loop over
 * local variables, because in a server each further function call costs more than the arithmetic.
 */
export function hashRecord(row: Row): string {
  let a = 0x239b961b;
  let b = 0x38b34ae5;
  for (let index = 0; index < row.length; index++) {
    const cell = row[index] ?? null;
    if (typeof cell === "number" && (cell | 0) === cell) {
      a = Math.imul(a ^ cell, 0x9e3779b1) ^ 0x30000;
      b = Math.imul(b ^ (cell + (b >>> 15)), 0x85ebca77);
      continue;
    }
    const text = typeof cell === "string" ? cell : textOf(cell);
    // The length and kind of the cell: text has its own mark, so that it differs from the digits of a number.
    a = Math.imul(a ^ (text.length + (typeof cell === "string" ? 0x20000 : 0x10000)), 0x9e3779b1);
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      a = Math.imul(a ^ unit, 0x9e3779b1);
      b = Math.imul(b ^ (unit + (b >>> 15)), 0x85ebca77);
    }
  }
  return print(finish(a, b), finish(b, a));
}

/** The text of a value that is not text; different values give different texts. */
function textOf(cell: Exclude<Cell, string>): string {
  if (cell === null || typeof cell !== "object") return String(cell);
  if (cell instanceof Uint8Array) return `bytes ${cell.toBase64()}`;
  return `rows ${cell.map(hashRecord).join()}`;
}

/** The tag of a record's representation, in quotes; cells beyond its own columns are expanded relations. */
export function recordTag(
  row: Row,
  of: { readonly columns: number; readonly representation: string },
): string {
  if (row.length <= of.columns) return joinTag(hashRecord(row), of.representation);
  const related = hashRecord([of.representation, ...row.slice(of.columns)]);
  return joinTag(hashRecord(row.slice(0, of.columns)), related);
}

/** Joined in one call, because a header made of pieces costs a server more than the hash. */
function joinTag(record: string, representation: string): string {
  return ['"', record, "-", representation, '"'].join("");
}

/** 400 for a condition on anything but a single record. */
export function conditionElsewhere(name: string): ServiceError {
  return badRequest(`Cannot use ${name} here: it is for single records, found by their key`);
}

/** Throws 400 for a condition on a request that does not check conditions. */
export function refuseConditions(headers: Headers): void {
  const name = ["If-Match", "If-None-Match"].find((each) => headers.has(each));
  if (name !== undefined) throw conditionElsewhere(name);
}

/** The tags of `If-Match` or `If-None-Match`, without quotes, weak or not; `*` stays. */
export function parseTags(header: string): readonly string[] {
  if (header.trim() === "*") return ["*"];
  return [...header.matchAll(/(?:W\/)?"([^"]*)"/g)].map(([, tag]) => tag ?? "");
}

/** 400 for a condition without a tag, as a shell leaves it that takes the quotes away. */
export function unreadableCondition(name: string): ServiceError {
  return badRequest(`Cannot read ${name}: send the ETag of the record with its quotes, or *`);
}

/** Whether an `If-None-Match` header names this representation; the tag is in quotes. */
export function matchesTag(header: string, tag: string): boolean {
  return parseTags(header).some((known) => known === "*" || tag === `"${known}"`);
}

/** Whether one of the tags belongs to a record with this hash, in any representation. */
export function matchesRecord(tags: readonly string[], record: string): boolean {
  return tags.some((tag) => tag === "*" || tag === record || tag.startsWith(`${record}-`));
}

/** MurmurHash3's final mix of a lane, with its neighbour's high bits. */
function finish(lane: number, neighbour: number): number {
  let mixed = lane ^ (neighbour >>> 15);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** Codes of the digits of base 32. */
const DIGITS = new TextEncoder().encode("0123456789abcdefghijklmnopqrstuv");

/** 60 of the 64 bits, five per digit: one call gives text in one piece, unlike `toString` and joining. */
function print(a: number, b: number): string {
  return String.fromCharCode(
    digit(a, 0),
    digit(a, 5),
    digit(a, 10),
    digit(a, 15),
    digit(a, 20),
    digit(a, 25),
    digit(b, 0),
    digit(b, 5),
    digit(b, 10),
    digit(b, 15),
    digit(b, 20),
    digit(b, 25),
  );
}

function digit(bits: number, shift: number): number {
  return DIGITS[(bits >>> shift) & 31] ?? 0;
}
