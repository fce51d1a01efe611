/**
 * Plans GET and HEAD of table data. The parts that depend only on the request's shape (SQL, shape, writer) are compiled
 * once and cached in the caller's {@link View}; a known request only has new values.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import type { NameIndex } from "@/core/base/name_index.ts";
import { WeightedCache } from "@/core/base/weighted_cache.ts";
import type { Connection } from "@/core/database/connect.ts";
import type { ManagedDatabase } from "@/core/database/managed_database.ts";
import type { View } from "@/core/database/caller_view.ts";
import { badRequest, quote, ServiceError } from "@/core/errors.ts";
import { type CompiledRead, compileRead } from "./compile_read.ts";
import type { WrittenQuery } from "@/core/database/explain_failure.ts";
import { encodeUrl, printName } from "@/core/request/print_path.ts";
import { type Caller } from "@/core/identity/permissions.ts";
import { NO_PARAMETERS, type Parameters, requireUseful } from "@/core/request/parameters.ts";
import type { Redirect } from "@/core/plan.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { Service } from "@/core/service.ts";
import { formOf, type ShapePlace } from "./answer_shape.ts";
import type { DatabaseMapping } from "@/core/model.ts";
import type { Selection } from "@/core/sql/select.ts";
import type { Schema } from "@/core/schema/table.ts";
import { type Walk, type WalkContext, walkPath } from "@/core/schema/walk_path.ts";
import type { Database, WriteOptions } from "@/plugins/contract.ts";

/** A read with its values. */
export interface ReadPlan {
  readonly kind: "read";
  readonly managed: ManagedDatabase;
  readonly connection: Connection;
  /** The database under the caller's database login. */
  readonly database: Database;
  readonly compiled: CompiledRead;
  readonly values: readonly unknown[];
  /** Undefined: all rows. */
  readonly limit: number | undefined;
  readonly offset: number;
  /** Rows are sent as they are read. */
  readonly stream: boolean;
  /** The tables that errors may name; absent: all. */
  readonly visible?: Schema;
  /** The saved query that is read. */
  readonly written?: WrittenQuery;
}

/** A request for a database's data, with everything that planning uses. */
export interface ReadInput {
  readonly request: ApiRequest;
  /** The segments after the database's. */
  readonly segments: readonly string[];
  readonly managed: ManagedDatabase;
  readonly connection: Connection;
  /** The schema narrowed to the tables that the caller may read, with its plans. */
  readonly view: View;
  readonly service: Service;
  readonly caller: Caller;
  readonly mapping: DatabaseMapping;
}

/** Returns a redirect if a limit must be added to the URL. Throws 400 and 404 for the path, 403 for tables. */
export function planRead(input: ReadInput): ReadPlan | Redirect {
  const { request, service, managed, connection, view: { database } } = input;
  const { parameters } = request;
  checkCombinations(request);
  requireUseful(request, "read");
  const walk = walkPath(input.segments, walkInput(input));
  const { single } = walk.last;
  const defaultLimit = single ? undefined : defaultLimitOf(input);
  if (defaultLimit !== undefined && parameters.limit === undefined) {
    return { kind: "redirect", status: 302, location: withLimit(request, service.prefix, defaultLimit) };
  }
  const stream = isStreamed(request, walk, service);
  return {
    kind: "read",
    managed,
    connection,
    database,
    compiled: findCompiled(input, walk, stream),
    values: walk.values,
    limit: single ? undefined : parameters.limit,
    offset: single ? 0 : parameters.offset ?? 0,
    stream,
  };
}

/** Throws 400 or 501 for parameters that conflict with each other or with the format. */
export function checkCombinations({ parameters, format }: ApiRequest): void {
  const depth = parameters.depth ?? 0;
  if (depth > 0 && parameters.stream) {
    throw new ServiceError("not-implemented", "Cannot stream related objects: use depth or stream, not both");
  }
  if (depth > 0 && !format.format.nested) {
    throw badRequest(`Cannot use depth with format ${format.name}: it has no place for them`);
  }
  if (parameters.transpose && (depth > 0 || parameters.stream)) {
    throw badRequest("Cannot use transpose together with depth or stream");
  }
}

/** A default of streaming does not apply where streaming is impossible; an explicit `stream` was checked before. */
function isStreamed({ parameters, format }: ApiRequest, walk: Walk, service: Service): boolean {
  if (walk.last.single || (parameters.depth ?? 0) > 0 || parameters.transpose) return false;
  return parameters.stream ?? service.streamByDefault(format.name);
}

/** The limit to which a list without one is redirected. */
export function defaultLimitOf(
  { request, managed, service }: Pick<ReadInput, "request" | "managed" | "service">,
): number | undefined {
  const { limit } = managed.definition;
  if (!request.format.format.paged) return limit;
  return Math.min(service.settings.html_limit, limit ?? Infinity);
}

/** The same URL with a limit; the rest of it is unchanged. */
export function withLimit(request: ApiRequest, prefix: string, limit: number): string {
  const extension = request.negotiated ? "" : `.${request.format.name}`;
  const query = request.query === "" ? "" : `${request.query}&`;
  return encodeUrl(`${prefix}${request.path}${extension}?${query}limit=${limit}`);
}

function findCompiled(input: ReadInput, walk: Walk, stream: boolean): CompiledRead {
  const { view } = input;
  const key = planKey(input.request, walk, stream);
  const plans = view.memo(createPlans);
  const known = plans.get(key);
  if (known) return known;
  const compiled = compile(input, walk, stream);
  plans.set(key, compiled, compiled.weight);
  return compiled;
}

function createPlans(): WeightedCache<CompiledRead> {
  return new WeightedCache();
}

/** Everything that a compiled read depends on. */
function planKey({ format, parameters }: ApiRequest, walk: Walk, stream: boolean): string {
  const base = `${walk.key}\n${format.contentType}\n${format.name}${stream ? "\ns" : ""}`;
  return parameters === NO_PARAMETERS ? base : `${base}\n${choicesOf(parameters)}`;
}

/** Parameters whose values a compiled read depends on. */
const CHOICES = [
  "sort",
  "distinct",
  "count",
  "depth",
  "transpose",
  "wantarray",
  "href",
  "headers",
  "csvNullStr",
  "delimiter",
  "bom",
  "nil_visible",
  "tz",
  "nullStr",
] as const;

function choicesOf(parameters: Parameters): string {
  return JSON.stringify(CHOICES.map((name) => parameters[name]));
}

function compile(input: ReadInput, walk: Walk, stream: boolean): CompiledRead {
  const { request, connection, service, view: { database } } = input;
  const { parameters, format } = request;
  return compileRead({
    walk,
    form: parameters.transpose ? "columns" : formOf(walk, { wantarray: parameters.wantarray ?? false }),
    selection: selectionOf(request, walk),
    depth: walk.columns ? 0 : parameters.depth ?? 0,
    count: parameters.count ?? false,
    connection,
    database,
    format: format.format,
    options: writeOptions(request, service, stream),
    place: placeOf(input),
  });
}

/** The context of the walk. */
export function walkInput({ request, managed, connection, view }: ReadInput): WalkContext {
  return {
    database: managed.definition.id,
    schema: view.schema,
    isForbidden: (table) => view.isForbidden(table),
    operation: view.purpose === "create" ? "create" : "read",
    grammar: request.grammar,
    traits: connection.database.sql,
  };
}

/** The place of the database's records in URLs. */
export function placeOf({ request, managed, service }: ReadInput): ShapePlace {
  return {
    utcSuffix: hasUtcSuffix(request, service),
    databasePath: `${service.prefix}/db/${printName(managed.definition.id, service.links)}`,
    links: service.links,
  };
}

/** Whether times in UTC have the suffix `Z`. */
export function hasUtcSuffix({ parameters, format }: ApiRequest, { settings }: Service): boolean {
  return parameters.tz === "Z" || (format.name === "json" && settings["json_sdb.utc_suffix"]);
}

/** The options of the writer, from the request and the configuration. */
export function writeOptions(
  { parameters, format }: ApiRequest,
  service: Service,
  stream: boolean,
): WriteOptions {
  const { href, headers, csvNullStr, delimiter, bom, nil_visible: nilVisible, nullStr } = parameters;
  return {
    contentType: format.contentType,
    charset: service.encoder.charset,
    nullMarker: nullStr ?? "<null>",
    stream,
    ...defined({ href, headers, csvNullStr, delimiter, bom, nilVisible }),
  };
}

function selectionOf({ parameters }: ApiRequest, walk: Walk): Selection {
  const { columns, last: { table, single } } = walk;
  const distinct = parameters.distinct ?? false;
  const sort = sortKeys(parameters, table.columnNames, `table ${quote(table.name)}`);
  const unlisted = distinct && columns && sort.find(({ position }) => !columns.includes(position));
  if (unlisted) {
    throw badRequest(
      `Cannot sort distinct rows by ${quote(unlisted.column)}: it is not one of the listed columns`,
    );
  }
  const seen = new Set<number>();
  const unique = sort.filter(({ position }) => !seen.has(position) && seen.add(position));
  return { distinct, sort: unique, paged: !single };
}

/** The keys of `sort` with the positions of their columns. Throws 400 for a column that the owner lacks. */
export function sortKeys(
  { sort = [] }: Parameters,
  columns: NameIndex<number>,
  owner: string,
): Selection["sort"] {
  return sort.map((key) => {
    const position = columns.find(key.column);
    if (position !== undefined) return { ...key, position };
    const names = columns.names.map(quote).join(", ");
    throw badRequest(`Cannot sort by ${quote(key.column)}: ${owner} has the columns ${names}`);
  });
}
