/**
 * The paths of an OpenAPI document that are the same for all callers: lists, settings, state.
 *
 * @module
 */

import { rootDocument } from "@/core/definitions/list_resources.ts";
import type { Json } from "@/core/model.ts";
import { SETTINGS_SCHEMA } from "@/core/documents/document_schemas.ts";
import { LOGIN } from "@/core/login/login_page.ts";
import { databasesShape, versionDocument } from "@/core/documents/documents.ts";
import { errorResponses } from "./responses.ts";
import type { JsonObject } from "./schemas.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { Service } from "@/core/service.ts";

/** The tag of paths outside databases; it has a space, which ids of databases cannot have. */
export const SERVICE_TAG = {
  name: "The service",
  description: "What is there, settings and state.",
} as const;

/** The schemas of documents outside databases. */
export function serviceSchemas(caller: Caller, service: Service): JsonObject {
  return {
    Resources: rootDocument(caller, service).shape.schema,
    Settings: SETTINGS_SCHEMA,
    Databases: databasesShape(service).schema,
    ...(service.formats.has("txt") ? {} : { Version: versionDocument(service).shape.schema }),
  };
}

/** The paths. The probes are public. */
export function servicePaths({ formats, methods }: Pick<Service, "formats" | "methods">): JsonObject {
  return {
    ...sessionPaths(methods),
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

/** The login and the logout, if an enabled method has their routes. */
function sessionPaths(methods: Service["methods"]): JsonObject {
  const routes = new Set(
    methods.flatMap(({ method: { routes = [] } }) => routes.map(({ method, path }) => `${method} ${path}`)),
  );
  return {
    [LOGIN]: {
      get: operation("showLogin", "Show the login page", { "200": PAGE }, { security: [] }),
      ...(routes.has(`POST ${LOGIN}`) ? { post: LOG_IN } : {}),
    },
    ...(routes.has("GET /logout")
      ? { "/logout": { get: logOut("logOut"), post: logOut("logOutByPost") } }
      : {}),
  };
}

/** The paths about one database as a whole. */
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

const PAGE = {
  description: "The login page, a form for people.",
  content: { "text/html": { schema: { type: "string" } } },
} as const;

const LOG_IN = operation("logIn", "Log in: opens a session", {
  "200": {
    description: "Logged in; the cookie is the session.",
    headers: { "Set-Cookie": { description: "The cookie of the session.", schema: { type: "string" } } },
    content: jsonContent({
      type: "object",
      required: ["user"],
      properties: { user: { type: "string", description: "Who is logged in." } },
    }),
  },
  ...errorResponses(400, 403, 413, 415, 429, 500, 503),
}, {
  requestBody: {
    required: true,
    content: jsonContent({
      type: "object",
      required: ["login", "password"],
      properties: { login: { type: "string" }, password: { type: "string", format: "password" } },
    }),
  },
  security: [],
});

function logOut(operationId: string): JsonObject {
  return operation(operationId, "Log out: ends the session", {
    "200": {
      description: "There is no session any more.",
      content: jsonContent({
        type: "object",
        required: ["logged_out"],
        properties: { logged_out: { const: true } },
      }),
    },
    "302": {
      description: "The same for a client that accepts pages first: leads to the main page.",
      headers: { Location: { $ref: "#/components/headers/Location" } },
    },
    ...errorResponses(403, 500, 503),
  });
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
  const responses = { "200": { description: "What was asked for.", content }, ...errors };
  return { get: operation(operationId, summary, responses, security ? { security } : {}) };
}

function operation(
  operationId: string,
  summary: string,
  responses: JsonObject,
  members: JsonObject = {},
): JsonObject {
  return { operationId, summary, tags: [SERVICE_TAG.name], ...members, responses };
}
