/**
 * Pieces of JSON Schema for documents, and the schemas of documents that are the same for all callers.
 *
 * @module
 */

import type { JsonObject } from "@/core/model.ts";

/** A schema of any text. */
export const TEXT = { type: "string" } as const;
const FLAG = { type: "boolean" } as const;

/** A schema of a resource's path. Bodies may have it; it is ignored there. */
export const REFERENCE = { type: ["string", "null"], format: "uri-reference", readOnly: true } as const;

/** The schema of an object with members that it always has, and others. */
export function objectSchema(required: JsonObject, optional: JsonObject = {}): JsonObject {
  return { type: "object", required: Object.keys(required), properties: { ...required, ...optional } };
}

/** A schema of an object with only a reference. */
export function linkSchema(refid: string): JsonObject {
  return { type: "object", properties: { [refid]: REFERENCE }, readOnly: true };
}

/** `/settings`. Further members of a policy are defined by its method. */
export const SETTINGS_SCHEMA: JsonObject = {
  title: "settings",
  ...objectSchema({
    product: { ...TEXT, description: "The name of this service." },
    user: { ...TEXT, description: "Who is asking." },
    refid_prefix: { ...TEXT, description: "The key of references." },
    default_limit: { type: "integer", description: "The `limit` of pages for people." },
    reversed_url_substitution: {
      type: "object",
      description: "What stands for a character in a path.",
      additionalProperties: TEXT,
    },
    auth_settings: {
      type: "object",
      description: "How to send credentials.",
      ...objectSchema({
        authentication_policies: {
          type: "object",
          additionalProperties: {
            ...objectSchema({
              enabled: FLAG,
              priority: { type: "integer", description: "A lower number is tried first." },
              gui: objectSchema({ visible: FLAG }),
            }),
            additionalProperties: true,
          },
        },
      }),
    },
  }, {
    csrf_token: {
      ...TEXT,
      description: "With a session: what programs that use its cookie send as `X-CSRF-Token`.",
    },
  }),
};

/** A schema of an object with any members: clients take an object without a word about them for empty. */
export const OPEN = { type: "object", additionalProperties: true } as const;

/** `/openapi`: the members that every OpenAPI document has; the OpenAPI Initiative defines the rest. */
export const OPENAPI_SCHEMA: JsonObject = {
  title: "openapi",
  description: "An OpenAPI document, as https://spec.openapis.org/oas/v3.1.0 describes it.",
  type: "object",
  required: ["openapi", "info", "servers", "paths", "components"],
  properties: {
    openapi: TEXT,
    info: objectSchema({ title: TEXT, version: TEXT }, { description: TEXT }),
    servers: { type: "array", items: OPEN },
    security: { type: "array", items: OPEN },
    tags: { type: "array", items: OPEN },
    paths: OPEN,
    components: OPEN,
  },
};
