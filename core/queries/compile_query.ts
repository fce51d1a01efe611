/**
 * The end of planning a saved query, once its columns are known: the read of the selected rows, their schema,
 * and the compiled parts that all runs of a selection share.
 *
 * @module
 */

import { defined } from "@/core/base/defined.ts";
import { NameIndex } from "@/core/base/name_index.ts";
import type { FailedPlan } from "@/core/database/explain_failure.ts";
import { badRequest, notFound, quote } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import type { Redirect, SchemaPlan } from "@/core/plan.ts";
import { readName, splitList } from "@/core/request/path_grammar.ts";
import { writtenZone } from "@/core/request/zones.ts";
import type { Service } from "@/core/service.ts";
import type { QuerySelection } from "@/core/sql/query_statements.ts";
import { type CompiledRead, hasUtcSuffix, prepareRead, writeOptions } from "@/core/tables/compile_read.ts";
import { defaultLimitOf, planSchemaOf, type ReadPlan, withLimit } from "@/core/tables/plan_read.ts";
import { sortPositions } from "@/core/tables/plan_selection.ts";
import type { Shape } from "@/plugins/contract.ts";
import { bindArguments, completeArguments } from "./arguments.ts";
import type { QueryPlan } from "./plan_query.ts";
import type { KnownQuery, SavedQuery } from "./saved_query.ts";

/** The part of a plan that explains a failure of the query. */
export function failing(
  { managed, connection, query: { definition }, readOnly, view: { database, schema: visible } }: QueryPlan,
  values: readonly unknown[],
  { log }: Pick<Exchange, "log">,
): Omit<FailedPlan, "kind"> & Required<Pick<FailedPlan, "written">> {
  return { managed, connection, database, visible, values, written: { definition, readOnly, log } };
}

/** Plans a read of rows like those of a table; a redirect if a limit must be added to the URL. */
export function planRows(query: KnownQuery, plan: QueryPlan, exchange: Exchange): ReadPlan | Redirect {
  const { service } = exchange;
  const { managed, request, view: { database }, path } = plan;
  const { parameters, format } = request;
  const values = bindArguments(completeArguments(path.arguments, plan.query), plan.query, database);
  const limit = isEmbeddable(query) ? defaultLimitOf({ request, managed, service }) : undefined;
  if (limit !== undefined && parameters.limit === undefined) {
    return { kind: "redirect", status: 302, location: withLimit(request, service.prefix, limit) };
  }
  const stream = !parameters.transpose && (parameters.stream ?? service.streamByDefault(format.name));
  return {
    kind: "read",
    ...failing(plan, values, exchange),
    compiled: compileQuery(query, plan, service, { selection: selectionOf(query, plan), stream }),
    values,
    limit: parameters.limit,
    offset: parameters.offset ?? 0,
    stream,
  };
}

/** Throws 400 for a query whose columns are unknown. */
export function planQuerySchema(query: SavedQuery, plan: QueryPlan, service: Service): SchemaPlan {
  if (!isKnown(query)) {
    const id = quote(query.definition.id);
    throw badRequest(`Cannot give a schema of query ${id}: its columns are known only when it runs`);
  }
  const shape = queryShape(query, selectionOf(query, plan), plan);
  return planSchemaOf({ by: "schema", shape }, plan.request, service);
}

/** Returns the compiled read of an equal selection, or compiles one. */
export function compileQuery(
  query: KnownQuery,
  plan: QueryPlan,
  service: Service,
  { selection, stream }: { readonly selection: QuerySelection; readonly stream: boolean },
): CompiledRead {
  const { request, view: { database } } = plan;
  const { format: { name, format }, parameters: { count: isCounted = false, transpose } } = request;
  const options = writeOptions(request, service, stream);
  const utcSuffix = hasUtcSuffix(request);
  const key = JSON.stringify([name, options, selection, isCounted, transpose, utcSuffix]);
  const make = () =>
    prepareRead({
      format,
      shape: queryShape(query, selection, plan),
      options,
      single: false,
      subject: query.definition.id,
      representation: key,
      rows: query.statements.rows(selection),
      count: isCounted ? query.statements.count(selection) : undefined,
      expansions: [],
    }, database);
  return query.plans.getOrMake(key, make, ({ weight }) => weight);
}

/**
 * The shape of a query's answer: a list of records without references, or of values if one column is listed.
 */
function queryShape(
  { definition: { id, description }, columns: all }: KnownQuery,
  { columns }: QuerySelection,
  { request }: QueryPlan,
): Shape {
  const utcSuffix = hasUtcSuffix(request);
  const listed = columns?.flatMap((position) => all[position] ?? []) ?? all;
  const form = columns?.length === 1 ? "values" : "records";
  return {
    form: request.parameters.transpose ? "columns" : form,
    name: id,
    ...(description === "" ? {} : { comment: description }),
    columns: listed.map((column) => ({
      name: column.name,
      type: column.type,
      declaredType: column.declaredType,
      ...writtenZone(column, utcSuffix),
      ...defined({ irregular: column.irregular, detail: column.zone && { zone: column.zone } }),
      nullable: true,
      isKey: false,
      isRequired: false,
      isGenerated: false,
    })),
    toOne: [],
    toMany: [],
  };
}

/** Throws 404 for a column that the result lacks, and 400 for a selection that the query does not support. */
export function selectionOf(query: KnownQuery, { path, request }: QueryPlan): QuerySelection {
  const { parameters, grammar } = request;
  const index = new NameIndex(query.columns.map(({ name }, position) => [name, position] as const));
  const findColumn = (raw: string): number => {
    const name = readName(raw, grammar);
    const position = index.find(name.literal) ?? index.find(name.substituted);
    if (position !== undefined) return position;
    const [id, names] = [quote(query.definition.id), index.names.map(quote).join(", ") || "none"];
    const is = query.text.parameters.includes(name.literal)
      ? "a parameter without a value in the path, and no column"
      : "neither a parameter nor a column";
    throw notFound(
      `Cannot find ${quote(name.literal)} in query ${id}: it is ${is} of its result, which has ${names}`,
    );
  };
  const columns = path.columns === undefined
    ? undefined
    : [...new Set(splitList(path.columns, grammar).map(findColumn))];
  const selection = {
    ...(columns ? { columns } : {}),
    distinct: parameters.distinct ?? false,
    sort: sortPositions(parameters, { columns: index, owner: "the result", listed: columns }),
    paged: parameters.limit !== undefined || parameters.offset !== undefined,
  };
  requireWhole(query, selection, parameters.count ?? false);
  return selection;
}

/** A selection is wrapped around the query's text, which must therefore be a single statement with rows. */
function requireWhole(query: KnownQuery, selection: QuerySelection, isCounted: boolean): void {
  const { distinct, sort, paged } = selection;
  const isPlain = !distinct && sort.length === 0 && !paged && !isCounted;
  if (isPlain || isEmbeddable(query)) return;
  const id = quote(query.definition.id);
  throw badRequest(
    `Cannot use limit, offset, sort, distinct or count with query ${id}: its SQL is no single ` +
      "statement that only reads",
  );
}

/** Whether the columns of the result are known before it runs. */
export function isKnown(query: SavedQuery): query is KnownQuery {
  return query.columns !== undefined;
}

/** Whether the query's text may be nested in another statement. */
export function isEmbeddable({ columns, text, isReadOnly }: SavedQuery): boolean {
  return columns !== undefined && columns.length > 0 && text.isEmbeddable && isReadOnly !== false;
}
