/**
 * Plans `/openapi.json` and `/openapi/{db_id}.json`: an OpenAPI 3.1 document of exactly the
 * resources that the caller may use.
 *
 * @module
 */

import { WeightedCache } from "@/core/base/weighted_cache.ts";
import { findDatabase, type FoundDatabase, mappingOf } from "@/core/database/find_database.ts";
import { OPENAPI_SCHEMA } from "@/core/documents/document_schemas.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import type { DocumentShape, JsonObject } from "@/core/model.ts";
import type { SimplePlan } from "@/core/plan.ts";
import { requireUseful, wantsSchema } from "@/core/request/parameters.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { Service } from "@/core/service.ts";
import { READING, refuseMethod } from "@/core/tables/allowed_methods.ts";
import { planSchemaOf } from "@/core/tables/plan_read.ts";
import { PROBLEM, referencesIn, sharedComponents } from "./components.ts";
import { describeDatabase, viewNumber } from "./database.ts";
import { CONFIGURATION_TAG, configurationParts } from "./definitions.ts";
import { QUERY_TAG, queryPaths } from "./queries.ts";
import { describeSecurity } from "./security.ts";
import { SERVICE_TAG, servicePaths, serviceSchemas } from "./service.ts";

const SHAPE: DocumentShape = { name: "openapi", schema: OPENAPI_SCHEMA, columns: [] };

/**
 * Throws 400 or 406 for another format than JSON, 404 and 403 for the database, 503 while it is disconnected.
 */
export function planOpenApi(
  request: ApiRequest,
  caller: Caller,
  { service }: { readonly service: Service },
): SimplePlan {
  const { method, format } = request;
  const [id = ""] = request.segments;
  const databases = id === "" ? reachable(caller, service) : [findDatabase(id, { request, caller, service })];
  const isAsking = method === "OPTIONS";
  if (!isAsking && method !== "GET" && method !== "HEAD") throw refuseMethod(method, READING);
  // Of a format with pages only other methods come here, and schemas.
  const isPage = isAsking && format.format.view !== undefined && !wantsSchema(request);
  if (format.name !== "json" && !isPage) throw refuseFormat(request);
  if (isAsking) return { kind: "options", allow: READING };
  requireUseful(request, "document");
  if (wantsSchema(request)) return planSchemaOf({ by: "documentSchema", shape: SHAPE }, request, service);
  const only = id === "" ? undefined : databases[0]?.managed.definition.id;
  const text = documentText(databases, only, { caller, service });
  return { kind: "text", text, contentType: format.contentType };
}

/** The connected databases to which the caller has a mapping. */
function reachable({ user }: Caller, { databases }: Service): readonly FoundDatabase[] {
  return [...databases.values()].flatMap((managed) => {
    const mapping = mappingOf(user, managed);
    return mapping && managed.status === "Connected" ? [{ mapping, managed }] : [];
  });
}

/** Characters of the cached documents of one snapshot. */
const MOST_KEPT = 32_000_000;

/** Documents of each snapshot by the rights of the caller. */
const documents = new WeakMap<Service, WeightedCache<string>>();

/** `only`: the id of the requested database; undefined: all. */
function documentText(
  databases: readonly FoundDatabase[],
  only: string | undefined,
  { caller, service }: { readonly caller: Caller; readonly service: Service },
): string {
  const own = ownParts(caller, service, only);
  const key = JSON.stringify([databases.map(viewNumber), own]);
  const kept = documents.getOrInsertComputed(service, () => new WeightedCache(MOST_KEPT));
  const known = kept.get(key);
  if (known !== undefined) return known;
  const text = JSON.stringify(describeAll(databases, own, service));
  // A document of thousands of tables takes seconds, so it is kept, alone.
  kept.set(key, text, Math.min(text.length, MOST_KEPT - key.length));
  return text;
}

/** The parts of a document outside its databases. */
function ownParts(caller: Caller, service: Service, only: string | undefined) {
  const configuration = configurationParts(caller.user, service);
  const queries = queryPaths(caller, service, only);
  const isConfigured = Object.keys(configuration.paths).length > 0;
  const hasQueries = Object.keys(queries).length > 0;
  return {
    tags: [...(hasQueries ? [QUERY_TAG] : []), SERVICE_TAG, ...(isConfigured ? [CONFIGURATION_TAG] : [])],
    paths: { ...servicePaths(service), ...queries, ...configuration.paths },
    schemas: { Problem: PROBLEM, ...serviceSchemas(caller, service), ...configuration.schemas },
  };
}

function describeAll(
  databases: readonly FoundDatabase[],
  own: ReturnType<typeof ownParts>,
  service: Service,
): JsonObject {
  const { product, version, prefix, origin = "" } = service;
  const security = describeSecurity(service);
  const parts = databases.map((found) => describeDatabase({ ...found, service, security }));
  const paths = Object.assign({}, own.paths, ...parts.map((part) => part.paths));
  const schemas = Object.assign({}, own.schemas, ...parts.map((part) => part.schemas));
  return {
    openapi: "3.1.0",
    info: { title: product, version, description: descriptionOf(service) },
    servers: [{ url: `${origin}${prefix}` || "/" }],
    security: security.optional,
    tags: [...parts.map(({ tag }) => tag), ...own.tags],
    paths,
    components: { securitySchemes: security.schemes, ...sharedComponents(referencesIn(paths)), schemas },
  };
}

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
    "`wantarray`, `transpose` and `schema` give an answer another form, so the operations do not list these " +
    "parameters.",
    "The characters `/ , * . ~ _` have a meaning in paths. Where one of them is part of a value, percent-encode it: `%2F` " +
    "is a slash in a value.",
  ].join("\n\n");
}

function refuseFormat({ negotiated, format }: ApiRequest): ServiceError {
  return new ServiceError(
    negotiated ? "not-acceptable" : "bad-request",
    `Cannot describe the API in format ${format.name}: it is there as JSON, /openapi.json`,
  );
}
