/**
 * Documents without references, and the schemas of such documents.
 *
 * @module
 */

import type { Json, JsonObject } from "@/plugins/contract.ts";
import { isList, isObject, isReference } from "@/plugins/kit/formats.ts";

/** Removes the references from a tree. */
export function withoutReferences(tree: Json, refid: string): Json {
  if (isList(tree)) return tree.map((item) => withoutReferences(item, refid));
  if (!isObject(tree)) return tree;
  return mapMembers(
    tree,
    (value, name) => isReference(name, value, refid) ? undefined : withoutReferences(value, refid),
  );
}

/** Removes the properties of references from a schema. */
export function schemaWithoutReferences(schema: JsonObject, refid: string): JsonObject {
  return mapMembers(schema, (value, keyword) => {
    if (keyword === "required" && isList(value)) return value.filter((name) => name !== refid);
    if (!isObject(value)) return value;
    if (keyword !== "properties") return schemaWithoutReferences(value, refid);
    return mapMembers(value, (property, name) => {
      if (name === refid) return undefined;
      return isObject(property) ? schemaWithoutReferences(property, refid) : property;
    });
  });
}

/** Applies `change` to each member; undefined results are left out. */
function mapMembers(value: JsonObject, change: (value: Json, name: string) => Json | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const changed = change(member, name);
      return changed === undefined ? [] : [[name, changed] as const];
    }),
  );
}
