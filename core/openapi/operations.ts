/**
 * Paths of an OpenAPI document whose operations share a tag.
 *
 * @module
 */

import type { Json, JsonObject } from "@/core/model.ts";
import { headers } from "./components.ts";

/** A method of a path. */
export interface PathOperation {
  /** The method and the path: `get /db.json`. */
  readonly on: string;
  readonly operationId: string;
  readonly summary: string;
  /** Beside those of the path. */
  readonly parameters?: readonly Json[];
  readonly responses: JsonObject;
  readonly requestBody?: Json;
  /** The security requirement if it differs from the document's. */
  readonly security?: Json;
}

/**
 * The paths in the order of their first operations. Names in braces are parameters of the path, of any text.
 */
export function pathsOf(tag: string, operations: readonly PathOperation[]): JsonObject {
  const paths = Map.groupBy(operations, ({ on }) => on.slice(on.indexOf(" ") + 1));
  return Object.fromEntries([...paths].map(([path, all]) => [path, pathItem(tag, path, all)]));
}

function pathItem(tag: string, path: string, operations: readonly PathOperation[]): JsonObject {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    return { name, in: "path", required: true, schema: { type: "string" } };
  });
  const methods = operations.map(({ on, ...members }) => [on.split(" ")[0], { tags: [tag], ...members }]);
  return { ...(parameters.length > 0 ? { parameters } : {}), ...Object.fromEntries(methods) };
}

/** 200 with this body. */
export function shown(content: JsonObject): JsonObject {
  return { "200": { description: "What was asked for.", headers: headers(), content } };
}
