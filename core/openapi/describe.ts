/**
 * Makes OpenAPI documents, in steps: one of thousands of tables takes seconds. Callers with equal rights
 * share a document.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { inTurns } from "@/core/base/cooperative.ts";
import type { Eventual } from "@/core/base/eventual.ts";
import { WeightedCache } from "@/core/base/weighted_cache.ts";
import type { FoundDatabase } from "@/core/database/find_database.ts";
import { type Caller, PUBLIC } from "@/core/identity/permissions.ts";
import type { Json, JsonObject } from "@/core/model.ts";
import type { AnswerPlan } from "@/core/plan.ts";
import type { Service } from "@/core/service.ts";
import { PROBLEM, referencesIn, sharedComponents } from "./components.ts";
import { describeDatabase, type DescribedDatabase, viewNumber } from "./database.ts";
import { CONFIGURATION_TAG, configurationParts } from "./definitions.ts";
import { QUERY_TAG, queryPaths } from "./queries.ts";
import { describeSecurity, requireCredentials } from "./security.ts";
import { SERVICE_TAG, servicePaths, serviceSchemas } from "./service.ts";

/** A document, and what its page shows of it. */
export interface Description {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly operations: readonly (readonly [method: string, path: string, effect: string])[];
}

/** A plan to describe the API. Stage 4 makes the document, unless it is known. */
export interface DescriptionPlan {
  readonly kind: "description";
  readonly databases: readonly FoundDatabase[];
  /** The id of the requested database; undefined: all. */
  readonly only: string | undefined;
  /** The answer: the document, or a page about it. */
  readonly show: (description: Description) => AnswerPlan;
}

/** Bytes of the cached documents of one snapshot. */
const MOST_KEPT = 32_000_000;

/** The documents of a snapshot by the rights of the caller. */
interface Documents {
  readonly made: WeightedCache<Description>;
  /** The documents that are being made: thirty equal requests at once make one. */
  readonly running: Map<string, Promise<Description>>;
}

const documents = new WeakMap<Service, Documents>();

/** The document of what the caller may use. `turn`: the owner of the turns that it takes. */
export function describeApi(
  { databases, only }: DescriptionPlan,
  caller: Caller,
  { service, turn }: { readonly service: Service; readonly turn: string },
): Eventual<Description> {
  const { made, running } = documents.getOrInsertComputed(service, () => {
    return { made: new WeightedCache(MOST_KEPT), running: new Map() };
  });
  const own = ownParts(caller, service, only);
  const key = JSON.stringify([databases.map(viewNumber), own]);
  const known = made.get(key) ?? running.get(key);
  if (known) return known;
  const making = Promise.try(() => inTurns(describeAll(databases, own, { service, only }), turn)).then(
    (description) => {
      // A document of thousands of tables is kept, alone.
      made.set(key, description, Math.min(description.bytes.length, MOST_KEPT - key.length));
      return description;
    },
  ).finally(() => running.delete(key));
  running.set(key, making);
  return making;
}

/** The paths of queries and of the configuration that `public` may use; undefined without it. */
function publicPaths(service: Service, only: string | undefined): JsonObject | undefined {
  const user = service.users.get(PUBLIC);
  return user && { ...queryPaths({ user }, service, only), ...configurationParts(user, service).paths };
}

/** The parts of a document outside its databases. */
function ownParts(caller: Caller, service: Service, only: string | undefined) {
  const configuration = configurationParts(caller.user, service);
  const queries = queryPaths(caller, service, only);
  const isConfigured = Object.keys(configuration.paths).length > 0;
  const hasQueries = Object.keys(queries).length > 0;
  return {
    tags: [...(hasQueries ? [QUERY_TAG] : []), SERVICE_TAG, ...(isConfigured ? [CONFIGURATION_TAG] : [])],
    /** Those that every caller may use. */
    open: servicePaths(service),
    paths: { ...queries, ...configuration.paths },
    schemas: { Problem: PROBLEM, ...serviceSchemas(caller, service), ...configuration.schemas },
  };
}

function* describeAll(
  databases: readonly FoundDatabase[],
  own: ReturnType<typeof ownParts>,
  { service, only }: { readonly service: Service; readonly only: string | undefined },
): Generator<void, Description, void> {
  const { product, version, prefix, origin = "" } = service;
  const security = describeSecurity(service);
  const parts: DescribedDatabase[] = [];
  for (const found of databases) parts.push(yield* describeDatabase({ ...found, service, security }));
  const closed = requireCredentials(own.paths, publicPaths(service, only), security);
  const paths: JsonObject = Object.assign({}, own.open, closed, ...parts.map((part) => part.paths));
  const schemas: JsonObject = Object.assign({}, own.schemas, ...parts.map((part) => part.schemas));
  const references = new Set<string>();
  const operations: Description["operations"][number][] = [];
  for (const [path, item] of Object.entries(paths)) {
    for (const reference of referencesIn(item)) references.add(reference);
    operations.push(...operationsOf(path, item));
    yield;
  }
  const head = JSON.stringify({
    openapi: "3.1.0",
    info: { title: product, version, description: descriptionOf(service) },
    servers: [{ url: `${origin}${prefix}` || "/" }],
    security: security.optional,
    tags: [...parts.map(({ tag }) => tag), ...own.tags],
  });
  const shared = JSON.stringify({ securitySchemes: security.schemes, ...sharedComponents(references) });
  const pieces: Uint8Array[] = [];
  for (const text of documentTexts(head, paths, shared, schemas)) {
    pieces.push(UTF8.encode(text));
    yield;
  }
  return { bytes: Buffer.concat(pieces), operations };
}

const UTF8 = new TextEncoder();
const METHODS = ["get", "post", "put", "delete"] as const;

function operationsOf(path: string, item: Json): Description["operations"] {
  const operations = item as { readonly [method: string]: { readonly summary: string } | undefined };
  return METHODS.flatMap((method) => {
    const operation = operations[method];
    return operation ? [[method.toUpperCase(), path, operation.summary] as const] : [];
  });
}

/** The document; `head` and `shared` are the other members, of the document and of its components. */
function* documentTexts(
  head: string,
  paths: JsonObject,
  shared: string,
  schemas: JsonObject,
): Generator<string, void, void> {
  yield `${head.slice(0, -1)},"paths":`;
  yield* memberTexts(paths);
  yield `,"components":${shared.slice(0, -1)},"schemas":`;
  yield* memberTexts(schemas);
  yield "}}";
}

function* memberTexts(members: JsonObject): Generator<string, void, void> {
  let before = "{";
  for (const [name, value] of Object.entries(members)) {
    yield `${before}${JSON.stringify(name)}:${JSON.stringify(value)}`;
    before = ",";
  }
  yield "}";
}

/** How to use the API, in Markdown. */
export function descriptionOf({ formats }: Pick<Service, "formats">): string {
  const extensions = formats.names.map((name) => `\`.${name}\``).join(", ");
  return [
    "Tables of relational databases as resources.",
    `The extension of a path chooses the format: ${extensions}. Without one, \`Accept\` decides. HEAD and OPTIONS work ` +
    "on every path.",
    "Pairs of column and value filter a list: `/db/{db_id}/{table}/{column}/{value}.json`. More pairs, a relation, and at " +
    "the end a list of columns may follow. PUT and DELETE of a filtered list change every record in it.",
    "`wantarray`, `transpose`, `schema` and `tz` change the form of an answer, so the operations do not list these parameters.",
    "The characters `/ , * . ~ _` have a meaning in paths. Percent-encode one that is part of a value: `%2F` is a slash.",
  ].join("\n\n");
}
