/**
 * Plans `/query`: the saved query, its arguments, and the selection of its rows.
 *
 * @module
 */

import { type BodyFormat, chooseBodyFormat } from "@/core/request/body.ts";
import type { CompiledRead } from "@/core/tables/compile_read.ts";
import type { Connection } from "@/core/database/connect.ts";
import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import { quote, ServiceError } from "@/core/errors.ts";
import { type Eventual, whenThere } from "@/core/base/eventual.ts";
import { changesSomething, type WrittenQuery } from "@/core/database/explain_failure.ts";
import type { Column } from "@/core/model.ts";
import type { ParameterName } from "@/core/request/parameter_table.ts";
import type { SimplePlan } from "@/core/plan.ts";
import { queriesDocument } from "./list_queries.ts";
import { checkCombinations, defaultLimitOf, type ReadPlan, withLimit } from "@/core/tables/plan_read.ts";
import { WeightedCache } from "@/core/base/weighted_cache.ts";
import { isReading, planDocument, wantsSchema } from "@/core/documents/plan_document.ts";
import { planShapeSchema } from "@/core/tables/plan_schema.ts";
import {
  type Arguments,
  bindArguments,
  completeArguments,
  type QueryParameters,
  type QueryPath,
  readQueryPath,
  urlTemplateOf,
} from "./arguments.ts";
import { compileQuery, isEmbeddable, queryShape, selectionOf } from "./compile_query.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import {
  findQuery,
  methodsOf,
  type QueryInput,
  type Reached,
  reachQuery,
  writtenQuery,
} from "./find_query.ts";
import type { KnownQuery, SavedQuery } from "./saved_query.ts";
import type { Schema } from "@/core/schema/table.ts";
import type { Database } from "@/plugins/contract.ts";

/** A query with arguments in a body, or that may change the database, or whose columns are unknown. */
export interface QueryPlan {
  readonly kind: "query";
  /** The kind of failure of its statement: that of a POST, PUT or DELETE of records. */
  readonly does: "read" | "insert" | "update" | "delete";
  readonly managed: ManagedDatabase;
  readonly connection: Connection;
  readonly database: Database;
  /** The tables that the caller may read: errors name no others. */
  readonly visible: Schema;
  readonly query: SavedQuery;
  readonly parameters: QueryParameters;
  /** Arguments of the path. */
  readonly given: Arguments;
  /** Absent: the request has no body. */
  readonly body?: BodyFormat;
  /** It runs in a read-only transaction. */
  readonly readOnly: boolean;
  /** How its result is shown. Throws 404 for a listed column that the result lacks. */
  present(columns: readonly Column[]): Presentation;
  readonly written: Omit<WrittenQuery, "values">;
}

/** A compiled read with its selected columns. */
export interface Presentation {
  readonly compiled: CompiledRead;
  /** Positions of the listed columns; absent: all. */
  readonly columns?: readonly number[];
}

type Planned = SimplePlan | ReadPlan | QueryPlan;

const DOES: ReadonlyMap<string, QueryPlan["does"]> = new Map([
  ["GET", "read"],
  ["HEAD", "read"],
  ["POST", "insert"],
  ["PUT", "update"],
  ["DELETE", "delete"],
]);

/** A GET that may write violates integrity rules like a POST. */
function doesOf(method: string, readOnly: boolean): QueryPlan["does"] {
  const does = DOES.get(method) ?? "insert";
  return does === "read" && !readOnly ? "insert" : does;
}

/**
 * Throws 404 for an unknown query, 403 without the right, 405, 400 for arguments, and 503 for SQL that the database
 * refuses.
 */
export function planQuery(input: QueryInput): Eventual<Planned> {
  const [id, ...segments] = input.request.segments;
  if (id === undefined || (id === "" && segments.length === 0)) return planQueryList(input);
  const reached = reachQuery(id, input);
  const { definition, request: { method } } = reached;
  if (method === "OPTIONS") return { kind: "options", allow: methodsOf(definition).join(", ") };
  return whenThere(findQuery(reached), (query) => {
    const parameters = parametersOf(query, reached);
    requireMethod(method, parameters);
    const path = readQueryPath(segments, parameters, input.request.grammar);
    const planning = { ...reached, parameters, path };
    return isReading(input.request) ? planReading(query, planning) : planRunning(query, planning);
  });
}

/** `/query`: the saved queries that the caller may run. */
function planQueryList({ request, caller, service }: QueryInput): Planned {
  return planDocument(request, service, () => queriesDocument(caller, service));
}

function parametersOf({ definition, text }: SavedQuery, { request, service }: Reached): QueryParameters {
  const extension = request.extension ?? request.format.name;
  const urlTemplate = urlTemplateOf({ id: definition.id, names: text.parameters, extension }, service);
  return { definition, names: text.parameters, urlTemplate };
}

function requireMethod(method: string, { definition, urlTemplate }: QueryParameters): void {
  const allowed = methodsOf(definition);
  if (allowed.includes(method)) return;
  const { id } = definition;
  throw new ServiceError(
    "method-not-allowed",
    `Cannot ${method} query ${quote(id)}: use ${allowed.join(", ")}`,
    {
      headers: { Allow: allowed.join(", ") },
      urlTemplate,
    },
  );
}

interface Planning extends Reached {
  readonly parameters: QueryParameters;
  readonly path: QueryPath;
}

function planReading(query: SavedQuery, planning: Planning): Planned {
  const { request, service, path, parameters: own, view: { database } } = planning;
  const { parameters } = request;
  refuseParameters(request, ["depth", "all", "wildcard"]);
  checkCombinations(request);
  if (wantsSchema(request)) return planQuerySchema(query, planning);
  refuseParameters(request, ["cardinality"]);
  const readOnly = query.definition.readOnly ?? true;
  requireReadOnly(query, readOnly);
  const values = bindArguments(completeArguments(path.arguments, own), own, database);
  if (!readOnly || !isKnown(query) || !isRead(query, path)) return runningPlan(query, planning, readOnly);
  const limit = isEmbeddable(query) ? defaultLimitOf({ ...planning, service }) : undefined;
  if (limit !== undefined && parameters.limit === undefined) {
    return { kind: "redirect", status: 302, location: withLimit(request, service.prefix, limit) };
  }
  return readPlan(query, planning, values);
}

function planQuerySchema(query: SavedQuery, { request, service, path }: Planning): Planned {
  if (!isKnown(query)) {
    const what = `Cannot give a schema of query ${
      quote(query.definition.id)
    }: its columns are known only when it runs`;
    throw new ServiceError("bad-request", what);
  }
  return planShapeSchema(
    queryShape(query, selectionOf(query, path.columns, request), { request, service }),
    request,
    service,
  );
}

function isKnown(query: SavedQuery): query is KnownQuery {
  return query.columns !== undefined;
}

/** Whether rows can be read like those of a table: in pages, or streamed. */
function isRead(query: KnownQuery, { columns }: QueryPath): boolean {
  return query.text.isReadable && query.columns.length > 0 && (columns === undefined || isEmbeddable(query));
}

function readPlan(query: KnownQuery, planning: Planning, values: readonly unknown[]): ReadPlan {
  const { request, service, managed, connection, view, path } = planning;
  const { database } = view;
  const { parameters } = request;
  const stream = !parameters.transpose && (parameters.stream ?? service.streamByDefault(request.format.name));
  const selection = selectionOf(query, path.columns, request);
  return {
    kind: "read",
    managed,
    connection,
    database,
    compiled: compileQuery(query, { selection, request, service, database, stream }),
    values,
    ...(parameters.limit === undefined ? {} : { limit: parameters.limit }),
    offset: parameters.offset ?? 0,
    stream,
    visible: view.schema,
    written: { ...writtenQuery(planning), values },
  };
}

function planRunning(query: SavedQuery, planning: Planning): Planned {
  const { request } = planning;
  refuseParameters(request, ["depth", "all", "wildcard", "cardinality", "schema"]);
  const readOnly = query.definition.readOnly ?? false;
  requireReadOnly(query, readOnly);
  return runningPlan(query, planning, readOnly);
}

/** Rows come from a transaction, or from several runs, so they cannot be paged or sorted. */
function runningPlan(query: SavedQuery, planning: Planning, readOnly: boolean): QueryPlan {
  const { request, service, headers, managed, connection, view, parameters, path } = planning;
  refuseParameters(request, ["limit", "offset", "sort", "distinct", "count", "stream"]);
  const takesBody = request.method === "POST" || request.method === "PUT";
  return {
    kind: "query",
    does: doesOf(request.method, readOnly),
    managed,
    connection,
    database: view.database,
    visible: view.schema,
    query,
    parameters,
    given: path.arguments,
    readOnly,
    present: (columns) => present(isKnown(query) ? query : knowing(query, columns), planning),
    written: writtenQuery(planning),
    ...(takesBody && hasBody(headers) ? { body: chooseBodyFormat(headers, request.extension, service) } : {}),
  };
}

/** Each run may return other columns, so plans are not shared. */
function knowing(query: SavedQuery, columns: readonly Column[]): KnownQuery {
  return { ...query, columns, statements: query.statements.with(columns), plans: new WeightedCache() };
}

function present(query: KnownQuery, { request, service, view: { database }, path }: Planning): Presentation {
  const { columns } = selectionOf(query, path.columns, request);
  const selection = { distinct: false, sort: [], paged: false, ...(columns ? { columns } : {}) };
  const compiled = compileQuery(query, { selection, request, service, database, stream: false });
  return { compiled, ...(columns ? { columns } : {}) };
}

function hasBody(headers: Headers): boolean {
  return headers.has("transfer-encoding") || Number(headers.get("content-length") ?? 0) > 0;
}

function requireReadOnly(query: SavedQuery, readOnly: boolean): void {
  if (readOnly && query.isReadOnly === false) throw changesSomething(query.definition.id);
}

function refuseParameters({ parameters }: ApiRequest, names: readonly ParameterName[]): void {
  const name = names.find((each) => parameters[each] !== undefined);
  if (name === undefined) return;
  throw new ServiceError("bad-request", `Cannot use parameter ${quote(name)} with this query`);
}
