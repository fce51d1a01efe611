/**
 * JSON Schemas of definitions, for requests and answers.
 *
 * @module
 */

import { DEFINITION_FILES, type DefinitionKind, ID_SCHEMA, memberSchemas } from "@/config/mod.ts";
import type { JsonObject } from "@/core/model.ts";

const SCHEMAS = {
  userdef: makeSchema("userdef", { ...ID_SCHEMA, description: "The login." }),
  dbdef: makeSchema("dbdef", ID_SCHEMA),
  querydef: makeSchema("querydef", ID_SCHEMA),
} as const;

function makeSchema(kind: DefinitionKind, id: JsonObject) {
  const { title, idMember, members } = DEFINITION_FILES[kind];
  const required = Object.values(members).filter((member) => member.required).map(({ wire }) => wire);
  return {
    title,
    required: [idMember, ...required],
    properties: { [idMember]: id, ...memberSchemas(members, true) },
    type: "object",
    additionalProperties: false,
  };
}

/** The schema of one definition. */
export function definitionSchema(kind: DefinitionKind): JsonObject & { readonly properties: JsonObject } {
  return SCHEMAS[kind];
}

/** The schema of the map of all definitions of a kind. */
export function definitionsSchema(kind: DefinitionKind): JsonObject {
  const { title: _, ...schema } = definitionSchema(kind);
  return { title: kind, type: "object", additionalProperties: schema };
}
