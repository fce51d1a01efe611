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
  if (!isObject(tree)) return wrap("[", tree.map(below), "]", { indent, level });
  const colon = indent > 0 ? ": " : ":";
  const members = [...tree].map(([name, value]) => writeText(name) + colon + below(value));
  return wrap("{", members, "}", { indent, level });
}

function wrap(
  open: string,
  members: readonly string[],
  close: string,
  { indent, level }: { readonly indent: number; readonly level: number },
): string {
  if (members.length === 0) return open + close;
  const [line, end] = indent > 0
    ? ["\n" + " ".repeat(indent * (level + 1)), "\n" + " ".repeat(indent * level)]
    : ["", ""];
  return open + line + members.join("," + line) + end + close;
}

function isObject(tree: readonly Tree[] | ReadonlyMap<string, Tree>): tree is ReadonlyMap<string, Tree> {
  return !Array.isArray(tree);
}
