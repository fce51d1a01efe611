/**
 * Plans `/openapi.json` and `/openapi/{db_id}.json`: an OpenAPI 3.1 document of exactly the resources that the caller may
 * use.
 *
 * @module
 */

import { OPENAPI_SCHEMA } from "@/core/documents/document_schemas.ts";
import { quote, ServiceError } from "@/core/errors.ts";
import { findDatabase, type FoundDatabase, mappingOf } from "@/core/database/find_database.ts";
import { READING, refuseMethod } from "@/core/tables/allowed_methods.ts";
import { referencesIn, sharedComponents } from "./components.ts";
import { CONFIGURATION_TAG, configurationParts } from "./definitions.ts";
import { databaseDescription } from "./database.ts";
import { QUERY_TAG, queryPaths } from "./queries.ts";
import { PROBLEM } from "./responses.ts";
import type { JsonObject } from "./schemas.ts";
import { describeSecurity, type Security } from "./security.ts";
import { SERVICE_TAG, servicePaths, serviceSchemas } from "./service.ts";
import type { DocumentShape } from "@/core/model.ts";
import { requireForDocuments } from "@/core/request/parameters.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { SimplePlan } from "@/core/plan.ts";
import { planDocumentSchema } from "@/core/tables/plan_schema.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { Service } from "@/core/service.ts";

const SHAPE: DocumentShape = { name: "openapi", schema: OPENAPI_SCHEMA, columns: [] };

/** Throws 400 or 406 for another format than JSON, 404 and 403 for the database, 503 while it is disconnected. */
export function planOpenApi(
  request: ApiRequest,
  caller: Caller,
  { service }: { readonly service: Service },
): SimplePlan {
  const { method, format } = request;
  const [id = "", ...others] = request.segments;
  if (others.some((segment, index) => segment !== "" || index > 0)) throw nothingBelow(request);
  const databases = id === "" ? reachable(caller, service) : [findDatabase(id, { request, caller, service })];
  if (method === "OPTIONS") return { kind: "options", allow: READING };
  if (method !== "GET" && method !== "HEAD") throw refuseMethod(method, READING);
  if (format.name !== "json") throw refuseFormat(request);
  const isSchema = request.parameters.schema === true;
  requireForDocuments(request.parameters, isSchema);
  if (isSchema) return planDocumentSchema(SHAPE, request, service);
  const text = documentText(databases, { id, caller, service });
  return { kind: "text", text, contentType: format.contentType };
}

/** The connected databases to which the caller has a mapping. */
function reachable({ user }: Caller, { databases }: Service): readonly FoundDatabase[] {
  return [...databases.values()].flatMap((managed) => {
    const { definition, status } = managed;
    const mapping = mappingOf(user, managed);
    return mapping && status === "Connected" ? [{ definition, mapping, managed }] : [];
  });
}

interface DocumentInput {
  /** The requested database; empty: all. */
  readonly id: string;
  readonly caller: Caller;
  readonly service: Service;
}

function documentText(databases: readonly FoundDatabase[], { id, caller, service }: DocumentInput): string {
  const security = describeSecurity(service);
  const configuration = configurationParts(caller.user, service);
  const queries = queryPaths(caller, service, id === "" ? undefined : databases[0]?.definition.id);
  const own = { ...servicePaths(service), ...queries, ...configuration.paths };
  const parts = databases.map(({ managed, mapping }) => {
    return databaseDescription({ managed, mapping, service, security });
  });
  const references = parts.reduce(
    (all, part) => all.union(part.references),
    referencesIn(JSON.stringify(own)),
  );
  const components = { securitySchemes: security.schemes, ...sharedComponents(references) };
  const schemas = {
    Problem: PROBLEM,
    ...serviceSchemas(caller, service),
    ...configuration.schemas,
  };
  const isConfigured = Object.keys(configuration.paths).length > 0;
  const hasQueries = Object.keys(queries).length > 0;
  const tags = [...(hasQueries ? [QUERY_TAG] : []), SERVICE_TAG, ...(isConfigured ? [CONFIGURATION_TAG] : [])]
    .map((tag) => JSON.stringify(tag));
  return join(head(service, security), {
    tags: `[${[...parts.map(({ tag }) => tag), ...tags].join()}]`,
    paths: joinMembers(own, parts.map(({ paths }) => paths)),
    components: join(components, { schemas: joinMembers(schemas, parts.map(({ schemas }) => schemas)) }),
  });
}

/** The members before the paths. */
function head(service: Service, { optional }: Security): JsonObject {
  const { product, version, prefix, origin = "" } = service;
  return {
    openapi: "3.1.0",
    info: { title: product, version, description: descriptionOf(service) },
    servers: [{ url: `${origin}${prefix}` || "/" }],
    security: optional,
  };
}

/** The description, in Markdown. */
function descriptionOf({ formats }: Pick<Service, "formats">): string {
  const others = formats.names.filter((name) => name !== "json").map((name) => `\`.${name}\``).join(", ");
  const extensions = others === "" ? "" : ` Other extensions give the same in other formats: ${others}.`;
  return [
    "Tables of relational databases as resources.",
    `\`.json\` at the end of a path is the format.${extensions} Without extension \`Accept\` decides. HEAD and OPTIONS ` +
    "work on every path.",
    "Beyond the paths of this document, filters are pairs of column and value, `/db/{db_id}/{table}/{column}/{value}.json`, " +
    "and can be followed by more of them, by a relation, and at the end by a list of columns. PUT and DELETE of a " +
    "filtered list change every record in it.",
    "In values of a path, percent-encode `/`, `,`, `*`, `.`, `~` and `_` where they are meant as plain characters.",
  ].join("\n\n");
}

/** A JSON object of values, and of members that are JSON text already. */
function join(values: JsonObject, texts: Readonly<Record<string, string>>): string {
  const written = Object.entries(values).map(([name, value]) => member(name, JSON.stringify(value)));
  const ready = Object.entries(texts).map(([name, text]) => member(name, text));
  return `{${[...written, ...ready].join()}}`;
}

/** A JSON object of values, and of JSON members without braces. */
function joinMembers(values: JsonObject, members: readonly string[]): string {
  const written = Object.entries(values).map(([name, value]) => member(name, JSON.stringify(value)));
  return `{${[...written, ...members].filter((text) => text !== "").join()}}`;
}

function member(name: string, text: string): string {
  return `${JSON.stringify(name)}:${text}`;
}

function nothingBelow({ path }: ApiRequest): ServiceError {
  return new ServiceError("not-found", `Cannot find ${quote(path)}: /openapi/{db_id}.json is the last level`);
}

function refuseFormat({ negotiated, format }: ApiRequest): ServiceError {
  return new ServiceError(
    negotiated ? "not-acceptable" : "bad-request",
    `Cannot describe the API in format ${format.name}: it is there as JSON, /openapi.json`,
  );
}
