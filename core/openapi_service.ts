/**
 * The paths of an OpenAPI document that are the same for every caller: lists, settings, state.
 *
 * @module
 */

import type { Json } from "./model.ts";
import { SETTINGS_SCHEMA } from "./document_schemas.ts";
import { databasesShape, rootDocument, versionDocument } from "./documents.ts";
import { errorResponses } from "./openapi_responses.ts";
import type { JsonObject } from "./openapi_schemas.ts";
import type { Caller } from "./permissions.ts";
import type { Service } from "./service.ts";

/** The tag of everything that belongs to no database; no id of one has a space. */
export const SERVICE_TAG = {
  name: "The service",
  description: "What is there, settings and state.",
} as const;

/** What the documents that belong to no database look like. */
export function serviceSchemas(caller: Caller, service: Service): JsonObject {
  return {
    Resources: rootDocument(caller, service).shape.schema,
    Settings: SETTINGS_SCHEMA,
    Databases: databasesShape(service).schema,
    ...(service.formats.has("txt") ? {} : { Version: versionDocument(service).shape.schema }),
  };
}

/** The paths. Whether the service is running is told to everybody. */
export function servicePaths(formats: { has(name: string): boolean }): JsonObject {
  return {
    "/": read("readResources", "List what is there", {
      content: jsonContent({ $ref: "#/components/schemas/Resources" }),
      errors: errorResponses(403, 406, 429, 500, 503),
    }),
    "/db.json": read("listDatabases", "List the databases", {
      content: jsonContent({ $ref: "#/components/schemas/Databases" }),
    }),
    "/openapi.json": read("describe", "Describe everything that the caller may reach: this document", {
      content: jsonContent({ type: "object" }),
      errors: errorResponses(400, 403, 429, 500, 503),
    }),
    "/query.json": read("listQueries", "List the saved queries that the caller may run", {
      content: jsonContent({ type: "object" }),
    }),
    "/settings.json": read("readSettings", "Read the settings that clients need", {
      content: jsonContent({ $ref: "#/components/schemas/Settings" }),
    }),
    [formats.has("txt") ? "/version.txt" : "/version.json"]: read(
      "readVersion",
      "Read the version of the service",
      { content: formats.has("txt") ? TEXT : jsonContent({ $ref: "#/components/schemas/Version" }) },
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
  const errors = errorResponses(400, 403, 404, 429, 500, 503);
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
  { content, errors = errorResponses(400, 403, 429, 500, 503), security }: Reading,
): Json {
  const tags = [SERVICE_TAG.name];
  const responses = { "200": { description: "What was asked for.", content }, ...errors };
  return { get: { operationId, summary, tags, ...(security ? { security } : {}), responses } };
}
