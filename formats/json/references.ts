/**
 * Documents without references, and the schemas of such documents.
 *
 * @module
 */

import type { Json, JsonObject } from "@/plugins/contract.ts";

/** Removes the references from a tree. */
export function withoutReferences(tree: Json, refid: string): Json {
  if (isList(tree)) return tree.map((item) => withoutReferences(item, refid));
  if (!isObject(tree)) return tree;
  return mapMembers(tree, (value, name) => {
    const isReference = name === refid && (value === null || typeof value === "string");
    return isReference ? undefined : withoutReferences(value, refid);
  });
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
function mapMembers(
  value: JsonObject,
  change: (value: Json, name: string) => Json | undefined,
): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const changed = change(member, name);
      return changed === undefined ? [] : [[name, changed] as const];
    }),
  );
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !isList(value);
}
