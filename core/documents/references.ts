/**
 * References within documents. Pure.
 *
 * @module
 */

import type { Json } from "@/core/model.ts";

/** A tree whose references lead to another format than JSON. */
export function withExtension(tree: Json, refid: string, extension: string): Json {
  if (typeof tree !== "object" || tree === null) return tree;
  if (isList(tree)) return tree.map((item) => withExtension(item, refid, extension));
  return Object.fromEntries(
    Object.entries(tree).map(([name, value]) => {
      if (name !== refid || typeof value !== "string") return [name, withExtension(value, refid, extension)];
      return [name, value.replace(/\.json(?=$|[?#])/, `.${extension}`)];
    }),
  );
}

function isList(tree: Json): tree is readonly Json[] {
  return Array.isArray(tree);
}
