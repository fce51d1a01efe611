/**
 * The paths of an OpenAPI document that are the same for every caller: lists, settings, state.
 *
 * @module
 */

import type { Json } from "./model.ts";
import { errorResponses } from "./openapi_responses.ts";
import type { JsonObject } from "./openapi_schemas.ts";

/** The tag of everything that belongs to no database; no id of one has a space. */
export const SERVICE_TAG = {
  name: "The service",
  description: "What is there, settings and state.",
} as const;

const REFERENCE = { type: "string", format: "uri-reference" } as const;

/** What the list of resources and the settings look like. */
export function serviceSchemas(refid: string): JsonObject {
  return {
    Resources: {
      type: "object",
      description: "References to resources by their name.",
      additionalProperties: { type: "object", required: [refid], properties: { [refid]: REFERENCE } },
    },
    Settings: {
      type: "object",
      required: [
        "product",
        "user",
        "refid_prefix",
        "default_limit",
        "reversed_url_substitution",
        "auth_settings",
      ],
      properties: {
        product: { type: "string", description: "The name of this service." },
        user: { type: "string", description: "Who is asking." },
        refid_prefix: { type: "string", description: "The key of references." },
        default_limit: { type: "integer", description: "The `limit` of pages for people." },
        reversed_url_substitution: {
          type: "object",
          description: "What stands for a character in a path.",
          additionalProperties: { type: "string" },
        },
        auth_settings: { type: "object", description: "How to send credentials." },
      },
    },
  };
}

/** The paths. Whether the service is running is told to everybody. */
export function servicePaths(formats: { has(name: string): boolean }): JsonObject {
  return {
    "/": read("readResources", "List what is there", {
      content: jsonContent({ $ref: "#/components/schemas/Resources" }),
      errors: errorResponses(403, 406, 500),
    }),
    "/db.json": read("listDatabases", "List the databases", {
      content: jsonContent({ $ref: "#/components/schemas/Databases" }),
    }),
    "/openapi.json": read("describe", "Describe everything that the caller may reach: this document", {
      content: jsonContent({ type: "object" }),
      errors: errorResponses(400, 403, 500),
    }),
    "/settings.json": read("readSettings", "Read the settings that clients need", {
      content: jsonContent({ $ref: "#/components/schemas/Settings" }),
    }),
    [formats.has("txt") ? "/version.txt" : "/version"]: read(
      "readVersion",
      "Read the version of the service",
      { content: TEXT },
    ),
    "/healthz": read("checkHealth", "Ask whether the service is running", {
      content: TEXT,
      errors: {},
      security: [],
    }),
  };
}

/** The paths of one database as a whole. */
export function databasePaths(
  name: string,
  { path, segment, ...security }: {
    readonly path: string;
    readonly segment: string;
    readonly security?: Json;
  },
): JsonObject {
  const errors = errorResponses(400, 403, 404, 500, 503);
  return {
    [`${path}.json`]: read(`${name}.tables`, "List the tables that the caller may read", {
      content: jsonContent({ $ref: `#/components/schemas/${name}` }),
      errors,
      ...security,
    }),
    [`/openapi/${segment}.json`]: read(`${name}.describe`, "Describe the database as OpenAPI", {
      content: jsonContent({ type: "object" }),
      errors,
      ...security,
    }),
  };
}

const TEXT = { "text/plain": { schema: { type: "string" } } } as const;

function jsonContent(schema: Json): JsonObject {
  return { "application/json": { schema } };
}

interface Reading {
  readonly content: JsonObject;
  readonly errors?: JsonObject;
  readonly security?: Json;
}

function read(
  operationId: string,
  summary: string,
  { content, errors = errorResponses(400, 403, 500), security }: Reading,
): Json {
  const tags = [SERVICE_TAG.name];
  const responses = { "200": { description: "What was asked for.", content }, ...errors };
  return { get: { operationId, summary, tags, ...(security ? { security } : {}), responses } };
}
