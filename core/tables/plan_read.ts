/**
 * Plans GET and HEAD of table data. The parts that depend only on the request's shape (SQL, shape, writer) are compiled
 * once and cached in the caller's {@link View}; a known request only has new values.
 *
 * @module
 */

import { WeightedCache } from "@/core/base/weighted_cache.ts";
import type { FailedPlan } from "@/core/database/explain_failure.ts";
import { badRequest, ServiceError } from "@/core/errors.ts";
import type { Redirect } from "@/core/plan.ts";
import { NO_PARAMETERS, type Parameters, requireUseful } from "@/core/request/parameters.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import { encodeUrl } from "@/core/request/print_path.ts";
import { type Walk, type WalkContext, walkPath } from "@/core/schema/walk_path.ts";
import type { Service } from "@/core/service.ts";
import { type CompiledRead, compileRead, type ReadInput } from "./compile_read.ts";

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
  const compiled = compileRead(input, walk, stream);
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
