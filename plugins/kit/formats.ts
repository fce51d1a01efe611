/**
 * Parts that several formats share: limits and refusals of bodies, trees of documents, errors as tables.
 *
 * @module
 */

import type { Document, Json, JsonObject, Problem, ValueType } from "@/plugins/contract.ts";

export { ascii, quote } from "@/core/errors.ts";

/** The mistake in a body; `at` is its position in the text, where a reader reports positions. */
export class Refusal extends Error {
  constructor(message: string, readonly at = 0) {
    super(message);
    this.name = "Refusal";
  }
}

/** Bounds the memory of a small body: a record may be two bytes. */
export const MAX_RECORDS = 1_000_000;
/** The most columns that any engine allows in a table. */
export const MAX_NAMES = 32_767;
/** Largest nesting of a body. */
export const MAX_DEPTH = 64;

/** Types whose values may be any text. */
export const TEXTUAL: ReadonlySet<ValueType> = new Set(["text", "json", "any"]);

/** Whether the values of a type are numbers, exact or not. */
export function isNumeric(type: ValueType | undefined): boolean {
  return type === "integer" || type === "decimal" || type === "float";
}

/**
 * A constant text of answers. V8 keeps a joined text as a tree of its parts until it is read. Read
 * here, once, it costs no answer a walk through the tree.
 */
export function flat(text: string): string {
  void Number(text);
  return text;
}

/** Whether a tree is a list. */
export function isList(tree: Json | undefined): tree is readonly Json[] {
  return Array.isArray(tree);
}

/** Whether a tree is an object. */
export function isObject(tree: Json | undefined): tree is JsonObject {
  return typeof tree === "object" && tree !== null && !Array.isArray(tree);
}

/** Whether a member of a document is its reference. */
export function isReference(name: string, value: Json, refid: string): boolean {
  return name === refid && (value === null || typeof value === "string");
}

/** The reference of an object; own members only, because a key may be named `constructor`. */
export function referenceOf(tree: Json | undefined, refid: string): string | undefined {
  const reference = isObject(tree) && Object.hasOwn(tree, refid) ? tree[refid] : undefined;
  return typeof reference === "string" ? reference : undefined;
}

/** An error as a table of one row. */
export function problemTable(
  { httpCode, description, urlTemplate }: Problem,
): Pick<Document, "columns" | "rows"> {
  return urlTemplate === undefined
    ? { columns: ["http_code", "description"], rows: [[httpCode, description]] }
    : { columns: ["http_code", "description", "url_template"], rows: [[httpCode, description, urlTemplate]] };
}

/**
 * Makes a text that spreadsheets show instead of running it: puts an apostrophe before the beginning of a
 * formula. Negative numbers and times stay as they are; `-1+cmd|…` would run a program.
 */
export function escapeFormula(text: string): string {
  return /^[=+@\t\r]|^-(?![\d.:]+(?:e[+-]?\d+)?$)/i.test(text) ? `'${text}` : text;
}
