/**
 * The paths of an OpenAPI document that are the same for all callers: lists, settings, state.
 *
 * @module
 */

import { rootDocument } from "@/core/definitions/list_resources.ts";
import { objectSchema, OPEN, SETTINGS_SCHEMA } from "@/core/documents/document_schemas.ts";
import { databasesDocument, versionDocument } from "@/core/documents/documents.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import { LOGIN } from "@/core/login/login_page.ts";
import type { Json, JsonObject } from "@/core/model.ts";
import { queriesSchema } from "@/core/queries/find_query.ts";
import type { Service } from "@/core/service.ts";
import { headers, jsonContent, reference, responses, textContent } from "./components.ts";
import { type PathOperation, pathsOf, shown } from "./operations.ts";

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
    Databases: databasesDocument(caller, service).shape.schema,
    Queries: queriesSchema(service.settings.refid_prefix),
    ...(service.formats.has("txt") ? {} : { Version: versionDocument(service).shape.schema }),
  };
}

const TEXT = textContent("text/plain");

/** The paths. The probes are public. */
export function servicePaths({ formats, methods }: Pick<Service, "formats" | "methods">): JsonObject {
  const [version, answer] = formats.has("txt")
    ? ["/version.txt", { content: TEXT }]
    : ["/version.json", { schema: reference("schemas", "Version") }];
  return pathsOf(SERVICE_TAG.name, [
    ...(formats.names.some((name) => formats.get(name)?.format.form) ? [SHOW_LOGIN] : []),
    ...sessionOperations(methods),
    read("/", "readResources", "List what is there", {
      schema: reference("schemas", "Resources"),
      errors: responses(402, 403, 406, 429, 500, 503),
    }),
    read("/db.json", "listDatabases", "List the databases", { schema: reference("schemas", "Databases") }),
    read("/openapi.json", "describe", "Describe everything that the caller may reach: this document"),
    read("/query.json", "listQueries", "List the saved queries that the caller may run", {
      schema: reference("schemas", "Queries"),
    }),
    read("/settings.json", "readSettings", "Read the settings that clients need", {
      schema: reference("schemas", "Settings"),
    }),
    read(version, "readVersion", "Read the version of the service", answer),
    read("/healthz", "checkHealth", "Ask whether the service is running", {
      content: TEXT,
      errors: {},
      security: [],
    }),
  ]);
}

/** The login and the logout, if an enabled method has their routes. */
function sessionOperations(methods: Service["methods"]): readonly PathOperation[] {
  const routes = new Set(
    methods.flatMap(({ method: { routes = [] } }) => routes.map(({ method, path }) => `${method} ${path}`)),
  );
  return [
    ...(routes.has(`POST ${LOGIN}`) ? [LOG_IN] : []),
    ...(routes.has("GET /logout")
      ? [
        { ...LOG_OUT, on: "get /logout", operationId: "logOut" },
        { ...LOG_OUT, on: "post /logout", operationId: "logOutByPost" },
      ]
      : []),
  ];
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
  const common = { errors: responses(400, 402, 403, 404, 429, 500, 503), ...security };
  return pathsOf(SERVICE_TAG.name, [
    read(`${path}.json`, `${name}.tables`, "List the tables that the caller may read", {
      schema: reference("schemas", name),
      ...common,
    }),
    read(`/openapi/${segment}.json`, `${name}.describe`, "Describe the database as OpenAPI", common),
  ]);
}

/** An operation that answers a document: JSON of any object by default. */
function read(
  path: string,
  operationId: string,
  summary: string,
  { schema = OPEN, content = jsonContent(schema), errors = COMMON_ERRORS, ...security }: {
    readonly schema?: Json;
    readonly content?: JsonObject;
    readonly errors?: JsonObject;
    readonly security?: Json;
  } = {},
): PathOperation {
  return {
    on: `get ${path}`,
    operationId,
    summary,
    ...security,
    responses: { ...shown(content), ...errors },
  };
}

const COMMON_ERRORS = responses(400, 402, 403, 429, 500, 503);

const SHOW_LOGIN: PathOperation = {
  on: `get ${LOGIN}`,
  operationId: "showLogin",
  summary: "Show the login page",
  security: [],
  responses: {
    "200": {
      description: "The login page, a form for people.",
      headers: headers(),
      content: textContent("text/html"),
    },
  },
};

const LOG_IN: PathOperation = {
  on: `post ${LOGIN}`,
  operationId: "logIn",
  summary: "Log in: opens a session",
  responses: {
    "200": {
      description: "Logged in; the cookie is the session.",
      headers: {
        "Set-Cookie": { description: "The cookie of the session.", schema: { type: "string" } },
        ...headers(),
      },
      content: jsonContent(objectSchema({ user: { type: "string", description: "Who is logged in." } })),
    },
    ...responses(400, 402, 403, 408, 413, 415, 429, 500, 503),
  },
  requestBody: {
    required: true,
    content: jsonContent(
      objectSchema({ login: { type: "string" }, password: { type: "string", format: "password" } }),
    ),
  },
  security: [],
};

const LOG_OUT = {
  summary: "Log out: ends the session",
  responses: {
    "200": {
      description: "There is no session any more.",
      headers: headers(),
      content: jsonContent(objectSchema({ logged_out: { const: true } })),
    },
    "302": {
      description: "The same for a client that accepts pages first: leads to the main page.",
      headers: headers("Location"),
    },
    ...responses(403, 500, 503),
  },
};
