/**
 * JSON text: values, lists and objects. Numbers keep every digit; numbers that
 * JSON cannot represent are strings.
 *
 * @module
 */

import type { Cell, ValueType } from "@/plugins/contract.ts";
import { isNumeric } from "@/plugins/kit/formats.ts";

/** Writes one cell. Any column may have values of any type, so the value's own type decides. */
export type WriteValue = (value: Cell) => string;

/** Characters that JSON escapes, and lone surrogates, which UTF-8 cannot encode. */
// deno-lint-ignore no-control-regex -- control characters are what has to be found
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;
/** A JSON number; exact decimals that match are written unchanged. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The function that writes the values of a column; decimals arrive as strings of digits. */
export function writerFor(type: ValueType): WriteValue {
  return isNumeric(type) ? writeNumeric : writeValue;
}

/** A JSON string with its quotes. Lone surrogates are escaped, because UTF-8 cannot encode them. */
export function writeText(text: string): string {
  return needsEscapes(text) ? JSON.stringify(text) : `"${text}"`;
}

/** The name of a member and its colon. */
export function keyText(name: string, indent: number): string {
  return writeText(name) + (indent > 0 ? ": " : ":");
}

/** False if a JSON string has the text as it is. */
export function needsEscapes(text: string): boolean {
  return ESCAPED.test(text);
}

function writeValue(value: Cell): string {
  if (typeof value === "string") return writeText(value);
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : `"${value}"`;
  if (value === null) return "null";
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return `"${value.toBase64()}"`;
  throw new TypeError("Rows of a relation stand where a value was expected");
}

function writeNumeric(value: Cell): string {
  return typeof value === "string" && NUMBER.test(value) ? value : writeValue(value);
}

/**
 * A JSON value; objects are maps, which keep the order of their members and
 * allow any name (`1`, `__proto__`).
 */
export type Tree = boolean | number | string | null | readonly Tree[] | ReadonlyMap<string, Tree>;

/** Names with their values; undefined values are left out. */
export type Members = readonly (readonly [name: string, value: Tree | undefined])[];

/** An object with these members; the last of equal names counts. */
export function treeOf(members: Members): ReadonlyMap<string, Tree> {
  const tree = new Map<string, Tree>();
  for (const [name, value] of members) if (value !== undefined) tree.set(name, value);
  return tree;
}

/** The layout equals that of `JSON.stringify(value, null, indent)`. */
export function writeTree(tree: Tree, indent: number, level = 0): string {
  if (typeof tree === "string") return writeText(tree);
  if (typeof tree !== "object" || tree === null) return String(tree);
  const below = (value: Tree) => writeTree(value, indent, level + 1);
  if (!(tree instanceof Map)) return join([...tree.values()].map(below), bracket("[", "]", indent, level));
  const members = [...tree].map(([name, value]) => keyText(name, indent) + below(value));
  return join(members, bracket("{", "}", indent, level));
}

/** The opening, separator and closing of a list or object, and its text when empty. */
export interface Brackets {
  readonly open: string;
  readonly next: string;
  readonly close: string;
  readonly empty: string;
}

/** `indent`: spaces per level; 0 puts everything on one line. */
export function bracket(open: string, close: string, indent: number, level = 0): Brackets {
  const line = indent > 0 ? "\n" + " ".repeat(indent * (level + 1)) : "";
  const end = indent > 0 ? "\n" + " ".repeat(indent * level) : "";
  return { open: open + line, next: "," + line, close: end + close, empty: open + close };
}

/** A whole list or object. */
export function join(members: readonly string[], { open, next, close, empty }: Brackets): string {
  return members.length === 0 ? empty : open + members.join(next) + close;
}
