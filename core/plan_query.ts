/**
 * Plans `/query`: which saved query runs with which arguments, and what is asked of its result.
 *
 * @module
 */

import { forbidden } from "./authenticate.ts";
import { type BodyFormat, chooseBodyFormat } from "./body.ts";
import type { CompiledRead } from "./compile_read.ts";
import type { Connection } from "./connection.ts";
import type { ManagedDatabase } from "./databases.ts";
import { quote, ServiceError } from "./errors.ts";
import { attempt, type Eventual, whenThere } from "./eventual.ts";
import { changesSomething, explainFailure, type WrittenQuery } from "./failures.ts";
import { mappingOf } from "./find_database.ts";
import type { Column, QueryDefinition, Value } from "./model.ts";
import { nearest } from "./nearest.ts";
import type { ParameterName } from "./parameter_table.ts";
import { readName } from "./path.ts";
import type { Caller } from "./permissions.ts";
import type { Plan } from "./plan.ts";
import { queriesDocument } from "./query_documents.ts";
import { checkCombinations, defaultLimitOf, type ReadPlan, withLimit } from "./plan_read.ts";
import { PlanCache } from "./plan_cache.ts";
import { isReading, planDocument, wantsSchema } from "./plan_document.ts";
import { planShapeSchema } from "./plan_schema.ts";
import {
  type Arguments,
  completeArguments,
  parameterColumn,
  type QueryParameters,
  type QueryPath,
  readQueryPath,
  urlTemplateOf,
} from "./query_arguments.ts";
import { compileQuery, isEmbeddable, queryShape, selectionOf } from "./compile_query.ts";
import type { ApiRequest } from "./request.ts";
import { executableQueries, mayExecute, methodsOf } from "./query_access.ts";
import { findSavedQuery, type KnownQuery, type SavedQuery } from "./saved_query.ts";
import { NameIndex, type Schema } from "./schema.ts";
import type { Service } from "./service.ts";
import type { View } from "./views.ts";
import type { Database } from "@/plugins/contract.ts";

/** A query that is run with the arguments of a body, that may change the database, or of which too little is known. */
export interface QueryPlan {
  readonly kind: "query";
  /** What a failure of its statement is: that of a POST, PUT or DELETE of records. */
  readonly does: "read" | "insert" | "update" | "delete";
  readonly managed: ManagedDatabase;
  readonly connection: Connection;
  readonly database: Database;
  readonly query: SavedQuery;
  readonly parameters: QueryParameters;
  /** What the path gives. */
  readonly given: Arguments;
  /** Absent: the request has no body. */
  readonly body?: BodyFormat;
  /** It must not change anything. */
  readonly readOnly: boolean;
  /** How its result is shown. Throws 404 for a listed column that it has not. */
  present(columns: readonly Column[]): Presentation;
  readonly written: Omit<WrittenQuery, "values">;
}

/** How a result is shown. */
export interface Presentation {
  readonly compiled: CompiledRead;
  /** Positions of the listed columns; absent: all. */
  readonly columns?: readonly number[];
}

export interface QueryInput {
  readonly request: ApiRequest;
  readonly caller: Caller;
  readonly service: Service;
  readonly headers: Headers;
}

/** A query as one caller reaches it. */
interface Reached extends QueryInput {
  readonly definition: QueryDefinition;
  readonly managed: ManagedDatabase;
  readonly connection: Connection;
  readonly view: View;
}

const DOES: ReadonlyMap<string, QueryPlan["does"]> = new Map([
  ["GET", "read"],
  ["HEAD", "read"],
  ["POST", "insert"],
  ["PUT", "update"],
  ["DELETE", "delete"],
]);

/** Errors of a query name no table: whoever runs it need not know what it reads. */
export const NOTHING: Schema = { tables: new NameIndex([]), aliases: new Map() };

/** Throws 404 for an unknown query, 403 without the right, 405, 400 for arguments, and 503 for SQL that is not taken. */
export function planQuery(input: QueryInput): Eventual<Plan> {
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
function planQueryList({ request, caller, service }: QueryInput): Plan {
  return planDocument(request, service, () => queriesDocument(caller, service));
}

/** Prepares it, where this has not been done before. */
function findQuery(reached: Reached): Eventual<SavedQuery> {
  const { definition, managed, connection, view: { database, queries } } = reached;
  const written = { ...writtenQuery(reached), values: [] };
  return attempt(() => findSavedQuery(definition, { database, queries }), (error) => {
    throw explainFailure(error, { kind: "read", managed, connection, database, visible: NOTHING, written });
  });
}

function writtenQuery({ definition, service, view }: Reached): Omit<WrittenQuery, "values"> {
  return { id: definition.id, log: service.log, forget: () => void view.queries.delete(definition) };
}

function reachQuery(raw: string, input: QueryInput): Reached {
  const { request, caller, service } = input;
  const name = readName(raw, request.grammar);
  const definition = service.queries.get(name.literal) ?? service.queries.get(name.substituted);
  if (!definition) throw unknownQuery(name.literal, caller, service);
  if (!mayExecute(caller, definition)) {
    throw forbidden(`User ${quote(caller.user.login)} may not run query ${quote(definition.id)}`);
  }
  const managed = service.databases.get(definition.database);
  const mapping = managed && mappingOf(caller.user, managed);
  if (!managed || !mapping) {
    throw forbidden(
      `User ${quote(caller.user.login)} has no login for the database of query ${quote(definition.id)}`,
    );
  }
  const { connection } = managed;
  return { ...input, definition, managed, connection, view: managed.view(connection, mapping) };
}

function unknownQuery(name: string, caller: Caller, service: Service): ServiceError {
  const found = nearest(name, executableQueries(caller, service).map(({ id }) => id));
  const hint = found.length > 0 ? `; the nearest are ${found.map(quote).join(", ")}` : "";
  return new ServiceError("not-found", `Cannot find query ${quote(name)}${hint}`);
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

function planReading(query: SavedQuery, planning: Planning): Plan {
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

function planQuerySchema(query: SavedQuery, { request, service, path }: Planning): Plan {
  if (!isKnown(query)) {
    const what = `Cannot give a schema of query ${
      quote(query.definition.id)
    }: its columns are known only when it runs`;
    throw new ServiceError("bad-request", what);
  }
  return planShapeSchema(
    queryShape(query, selectionOf(query, path.columns, request), request),
    request,
    service,
  );
}

function isKnown(query: SavedQuery): query is KnownQuery {
  return query.columns !== undefined;
}

/** Whether rows can be read as those of a table are: pages of them, or all of them as they come. */
function isRead(query: KnownQuery, { columns }: QueryPath): boolean {
  return query.text.isQuery && query.columns.length > 0 && (columns === undefined || isEmbeddable(query));
}

function readPlan(query: KnownQuery, planning: Planning, values: readonly unknown[]): ReadPlan {
  const { request, service, managed, connection, view: { database }, path } = planning;
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
    visible: NOTHING,
    written: { ...writtenQuery(planning), values },
  };
}

function planRunning(query: SavedQuery, planning: Planning): Plan {
  const { request } = planning;
  refuseParameters(request, ["depth", "all", "wildcard", "cardinality", "schema"]);
  const readOnly = query.definition.readOnly ?? false;
  requireReadOnly(query, readOnly);
  return runningPlan(query, planning, readOnly);
}

/** Rows come from a transaction here, or once for each set of arguments: they cannot be a page of a list. */
function runningPlan(query: SavedQuery, planning: Planning, readOnly: boolean): QueryPlan {
  const { request, service, headers, managed, connection, view: { database }, parameters, path } = planning;
  refuseParameters(request, ["limit", "offset", "sort", "distinct", "count", "stream"]);
  const takesBody = request.method === "POST" || request.method === "PUT";
  return {
    kind: "query",
    does: DOES.get(request.method) ?? "insert",
    managed,
    connection,
    database,
    query,
    parameters,
    given: path.arguments,
    readOnly,
    present: (columns) => present(isKnown(query) ? query : knowing(query, columns), planning),
    written: writtenQuery(planning),
    ...(takesBody && hasBody(headers) ? { body: chooseBodyFormat(headers, request.extension, service) } : {}),
  };
}

/** Each run may give other columns. */
function knowing(query: SavedQuery, columns: readonly Column[]): KnownQuery {
  return { ...query, columns, statements: query.statements.with(columns), plans: new PlanCache() };
}

function present(query: KnownQuery, { request, service, view: { database }, path }: Planning): Presentation {
  const { columns } = selectionOf(query, path.columns, request);
  const selection = { distinct: false, sort: [], paged: false, ...(columns ? { columns } : {}) };
  const compiled = compileQuery(query, { selection, request, service, database, stream: false });
  return { compiled, ...(columns ? { columns } : {}) };
}

/** Values in the order of the parameters as the driver wants them. Throws 400 for one that the engine cannot take. */
export function bindArguments(
  values: readonly Value[],
  { names, definition, urlTemplate }: QueryParameters,
  { sql: { argument } }: Database,
): readonly unknown[] {
  if (!argument) return values;
  return values.map((value, index) => {
    const name = names[index] ?? "";
    try {
      return argument(value, parameterColumn(name, value, definition));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const message = `Cannot run query ${quote(definition.id)}: parameter ${quote(name)}: ${error.message}`;
      throw new ServiceError("bad-request", message, { urlTemplate });
    }
  });
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
