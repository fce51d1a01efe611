/**
 * JSON objects that keep the order of their members and allow any name, unlike JavaScript objects (`1`, `__proto__`).
 *
 * @module
 */

import { writeText } from "./value.ts";

/** A JSON value; objects are maps. */
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
  const colon = indent > 0 ? ": " : ":";
  const members = [...tree].map(([name, value]) => writeText(name) + colon + below(value));
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
