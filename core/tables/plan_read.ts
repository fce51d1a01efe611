/**
 * Plans GET and HEAD of table data, and `?schema`: the schema of the answer to the same request. The parts
 * that depend only on the request's shape (SQL, shape, writer) are compiled once and cached in the caller's
 * view; a known request only has new values.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import { WeightedCache } from "@/core/base/weighted_cache.ts";
import type { FailedPlan } from "@/core/database/explain_failure.ts";
import { badRequest, ServiceError } from "@/core/errors.ts";
import type { Redirect, SchemaPlan } from "@/core/plan.ts";
import type { NamedFormat } from "@/core/request/formats.ts";
import { NO_PARAMETERS, requireUseful } from "@/core/request/parameters.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import { encodeUrl } from "@/core/request/print_path.ts";
import { type Walk, type WalkContext, walkPath } from "@/core/schema/walk_path.ts";
import type { Service } from "@/core/service.ts";
import type { Page, Shape } from "@/plugins/contract.ts";
import { expand, formOf, shapeOf } from "./answer_shape.ts";
import { type CompiledRead, compileRead, type DataRequest, shapePlaceOf } from "./compile_read.ts";
import type { LargeCount } from "./large_counts.ts";
import { asksCounts } from "./page_read.ts";

/** The facts of a page with the result of a query that a form has run. */
type PageOfRun = "run" | "done" | "csrfToken";

/** A read with its values. */
export interface ReadPlan extends FailedPlan {
  readonly kind: "read";
  readonly compiled: CompiledRead;
  readonly values: readonly unknown[];
  /** Undefined: all rows. */
  readonly limit: number | undefined;
  readonly offset: number;
  /** Rows are sent as they are read. */
  readonly stream: boolean;
  /** Counts all rows, if that is soon done: a page shows their number, and a program did not ask for it. */
  readonly counted?: LargeCount;
  /** The facts of a page, and its breadcrumbs; only for formats with pages. */
  readonly shown?: Pick<
    Page,
    "crumbs" | "actions" | "list" | "record" | "total" | "wholeLimit" | PageOfRun
  >;
  /** Pages from which a person can go on if the record does not exist; only for formats with pages. */
  readonly links?: ServiceError["links"];
}

/**
 * Returns a redirect if a limit must be added to the URL. Throws 400 and 404 for the path, 403 for tables.
 */
export function planRead(
  input: DataRequest,
  walk: Walk = walkPath(input.segments, walkInput(input)),
): ReadPlan | Redirect {
  const { request, service } = input;
  checkCombinations(request);
  requireUseful(request, "read");
  const defaultLimit = walk.last.single ? undefined : defaultLimitOf(input);
  if (defaultLimit !== undefined && request.parameters.limit === undefined) {
    return { kind: "redirect", status: 302, location: withLimit(request, service.prefix, defaultLimit) };
  }
  return readPlan(input, walk, isStreamed(request, walk, service));
}

/** The read of a walk with the parameters of the request, which are not checked. */
export function readPlan(input: DataRequest, walk: Walk, stream: boolean): ReadPlan {
  const { request: { parameters }, managed, connection, view: { database } } = input;
  const { single } = walk.last;
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
    throw badRequest(`Cannot use depth with format ${format.name}: it has no place for related records`);
  }
  if (parameters.transpose && (depth > 0 || parameters.stream)) {
    throw badRequest("Cannot use transpose together with depth or stream");
  }
}

/**
 * A default of streaming does not apply where streaming is impossible; an
 * explicit `stream` was checked before.
 */
function isStreamed({ parameters, format }: ApiRequest, walk: Walk, service: Service): boolean {
  if (walk.last.single || (parameters.depth ?? 0) > 0 || parameters.transpose) return false;
  return parameters.stream ?? service.streamByDefault(format.name);
}

/** The limit to which a list without one is redirected. */
export function defaultLimitOf(
  { request, managed, service }: Pick<DataRequest, "request" | "managed" | "service">,
): number | undefined {
  const { limit } = managed.definition;
  if (!request.format.format.paged) return limit;
  return Math.min(service.settings.html_limit, limit ?? Infinity);
}

/** The URL of the request with a limit; the rest of it is unchanged. */
export function withLimit(request: ApiRequest, prefix: string, limit: number): string {
  const extension = request.negotiated ? "" : `.${request.format.name}`;
  const query = request.query === "" ? "" : `${request.query}&`;
  return encodeUrl(`${prefix}${request.path}${extension}?${query}limit=${limit}`);
}

/** The compiled read of a walk, from the cache of the caller's view if it is known. */
export function findCompiled(input: DataRequest, walk: Walk, stream: boolean): CompiledRead {
  const key = planKey(input.request, walk, stream);
  const make = () => compileRead(input, walk, stream);
  return input.view.memo(createPlans).getOrMake(key, make, ({ weight }) => weight);
}

const createPlans = () => new WeightedCache<CompiledRead>();

/** Everything that a compiled read depends on. */
function planKey(request: ApiRequest, walk: Walk, stream: boolean): string {
  const { format, parameters } = request;
  const counts = asksCounts(request) ? "\nc" : "";
  const base = `${walk.key}\n${format.contentType}\n${format.name}${stream ? "\ns" : ""}${counts}`;
  return parameters === NO_PARAMETERS
    ? base
    : `${base}\n${JSON.stringify(CHOICES.map((name) => parameters[name]))}`;
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
  "nil_visible",
  "tz",
  "nullStr",
  "own",
] as const;

/** The context of the walk. */
export function walkInput({ request, managed, connection, view }: DataRequest): WalkContext {
  return {
    database: managed.definition.id,
    schema: view.schema,
    isForbidden: (table) => view.isForbidden(table),
    operation: view.purpose === "create" ? "create" : "read",
    grammar: request.grammar,
    traits: connection.database.sql,
  };
}

/**
 * Throws 400 if neither the format nor JSON has schemas; redirects (303) if a
 * simpler URL has the same schema.
 */
export function planSchema(input: DataRequest): SchemaPlan | Redirect {
  const { request, service } = input;
  requireUseful(request, "read");
  const format = schemaFormat("schema", request, service);
  const walk = walkPath(input.segments, walkInput(input));
  const form = formOf(walk, request.parameters);
  const simpler = simplerPath(input, walk, form);
  if (simpler !== undefined) return { kind: "redirect", status: 303, location: simpler };
  const expansions = expand(walk.last.table, walk.columns ? 0 : request.parameters.depth ?? 0);
  const shape = shapeOf(walk, form, shapePlaceOf(input), expansions);
  return planSchemaOf({ by: "schema", shape }, request, service, format);
}

/** The schema of an answer. Throws 400 if neither the format nor JSON has schemas of its kind. */
export function planSchemaOf(
  described: SchemaPlan["described"],
  request: ApiRequest,
  service: Service,
  format: NamedFormat = schemaFormat(described.by, request, service),
): SchemaPlan {
  const { href, nil_visible: nilVisible, cardinality = "unbounded" } = request.parameters;
  const contentType = format.format.schemaContentType ?? format.format.contentTypes[0] ?? "";
  const { charset } = service.encoder;
  const options = { contentType, charset, cardinality, ...defined({ href, nilVisible }) };
  return { kind: "schema", format, described, options };
}

/**
 * The request's format, or the one whose schemas it shows, else JSON: the first one that writes such schemas.
 */
function schemaFormat(
  by: SchemaPlan["described"]["by"],
  { format }: ApiRequest,
  { formats }: Service,
): NamedFormat {
  const { schemasOf } = format.format;
  const own = schemasOf === undefined ? format : formats.get(schemasOf);
  for (const shown of [own, formats.get("json")]) if (shown?.format[by]) return shown;
  const known = formats.names.filter((name) => formats.get(name)?.format[by] !== undefined);
  throw badRequest(`Cannot give a schema in format ${format.name}: use one of ${known.join(", ")}`);
}

/** The schema of a list is that of its table: filters and earlier steps have no effect. */
function simplerPath(input: DataRequest, walk: Walk, form: Shape["form"]): string | undefined {
  const { request } = input;
  const isList = form === "records" || form === "values" || form === "columns";
  const { table, filters } = walk.last;
  if (!isList || (walk.steps.length === 1 && filters.length === 0)) return undefined;
  const columns = walk.columns ? `/${request.segments.findLast((segment) => segment !== "")}` : "";
  const extension = request.negotiated ? "" : `.${request.format.name}`;
  const query = request.query === "" ? "" : `?${request.query}`;
  return encodeUrl(`${shapePlaceOf(input).databasePath}/${table.segment}${columns}${extension}${query}`);
}
