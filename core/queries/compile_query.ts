/**
 * Compiles the common parts of all runs of a saved query: the statement for the selection, and the writer.
 *
 * @module
 */

import type { CompiledRead } from "@/core/tables/compile_read.ts";
import { badRequest, notFound, quote, ServiceError } from "@/core/errors.ts";
import { hashRepresentation } from "@/core/tables/etag.ts";
import { readName, splitList } from "@/core/request/path_grammar.ts";
import { hasUtcSuffix, writeOptions } from "@/core/tables/plan_read.ts";
import type { QuerySelection } from "@/core/sql/wrap_query.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { KnownQuery, SavedQuery } from "./saved_query.ts";
import { NameIndex } from "@/core/base/name_index.ts";
import type { Service } from "@/core/service.ts";
import type { Statement } from "@/core/sql/statement.ts";
import { withZones, writtenZone } from "@/core/request/zones.ts";
import type { Database, Shape } from "@/plugins/contract.ts";

/** A selection of a query's rows, without the parameters' values. */
export interface CompileQueryInput {
  readonly selection: QuerySelection;
  readonly request: ApiRequest;
  readonly service: Service;
  /** The database under the caller's database login. */
  readonly database: Database;
  /** Rows are sent as they are read; the writer depends on it. */
  readonly stream: boolean;
}

/** Returns the compiled read of an equal selection, or compiles one. */
export function compileQuery(query: KnownQuery, input: CompileQueryInput): CompiledRead {
  const { selection, request: { format, parameters }, service, stream } = input;
  const options = writeOptions(input.request, service, stream);
  const isCounted = parameters.count ?? false;
  const key = JSON.stringify([
    ...[format.name, options, selection, isCounted, parameters.transpose],
    hasUtcSuffix(input.request, service),
  ]);
  const known = query.plans.get(key);
  if (known) return known;
  const shape = queryShape(query, selection, input);
  const rows = query.statements.rows(selection);
  const count = isCounted ? query.statements.count(selection) : undefined;
  const compiled: CompiledRead = {
    format: format.format,
    shape,
    writer: withZones(format.format.writer(shape, options), shape),
    options,
    single: false,
    rows: keep(rows, input),
    ...(count ? { count: keep(count, input) } : {}),
    expansions: [],
    subject: query.definition.id,
    weight: rows.sql.length + (count?.sql.length ?? 0),
    representation: hashRepresentation(key),
  };
  query.plans.set(key, compiled, compiled.weight);
  return compiled;
}

function keep(statement: Statement, { database }: CompileQueryInput): CompiledRead["rows"] {
  return { prepared: database.prepare(statement), slots: statement.slots };
}

/** The shape of a query's answer: a list of records without references, or of values if one column is listed. */
export function queryShape(
  query: KnownQuery,
  { columns }: QuerySelection,
  { request, service }: Pick<CompileQueryInput, "request" | "service">,
): Shape {
  const utcSuffix = hasUtcSuffix(request, service);
  const listed = columns?.flatMap((position) => query.columns[position] ?? []) ?? query.columns;
  const form = columns?.length === 1 ? "values" : "records";
  const { id, description } = query.definition;
  return {
    form: request.parameters.transpose ? "columns" : form,
    name: id,
    ...(description === "" ? {} : { comment: description }),
    columns: listed.map((column) => ({
      name: column.name,
      type: column.type,
      declaredType: column.declaredType,
      ...writtenZone(column, utcSuffix),
      ...(column.irregular === undefined ? {} : { irregular: column.irregular }),
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
export function selectionOf(
  query: KnownQuery,
  rawColumns: string | undefined,
  request: ApiRequest,
): QuerySelection {
  const { parameters, grammar } = request;
  const index = new NameIndex(query.columns.map(({ name }, position) => [name, position] as const));
  const columns = rawColumns === undefined
    ? undefined
    : [...new Set(splitList(rawColumns, grammar).map((raw) => findColumn(raw, { index, query, request })))];
  const sort = (parameters.sort ?? []).map((key) => {
    const position = index.find(key.column);
    if (position === undefined) throw unknownSort(key.column, query);
    return { ...key, position };
  });
  const selection = {
    ...(columns ? { columns } : {}),
    distinct: parameters.distinct ?? false,
    sort,
    paged: parameters.limit !== undefined || parameters.offset !== undefined,
  };
  requireWhole(query, selection, parameters.count ?? false);
  return selection;
}

function findColumn(
  raw: string,
  { index, query, request }: {
    readonly index: NameIndex<number>;
    readonly query: KnownQuery;
    readonly request: ApiRequest;
  },
): number {
  const name = readName(raw, request.grammar);
  const position = index.find(name.literal) ?? index.find(name.substituted);
  if (position !== undefined) return position;
  const { id } = query.definition;
  throw notFound(
    `Cannot find ${quote(name.literal)} in query ${
      quote(id)
    }: it is neither a parameter nor a column of its result, ` +
      `which has ${index.names.map(quote).join(", ")}`,
  );
}

function unknownSort(name: string, { columns }: KnownQuery): ServiceError {
  const names = columns.map((column) => quote(column.name)).join(", ");
  return badRequest(`Cannot sort by ${quote(name)}: the result has the columns ${names}`);
}

/** A selection is wrapped around the query's text, which must therefore be a single statement with rows. */
function requireWhole(query: KnownQuery, selection: QuerySelection, isCounted: boolean): void {
  const { distinct, sort, paged, columns } = selection;
  const isPlain = !distinct && sort.length === 0 && !paged && !isCounted;
  if (columns && distinct && sort.some(({ position }) => !columns.includes(position))) {
    throw badRequest("Cannot sort distinct rows by a column that is not listed");
  }
  if (isPlain || isEmbeddable(query)) return;
  throw badRequest(
    `Cannot use limit, offset, sort, distinct or count with query ${
      quote(query.definition.id)
    }: its SQL is no single ` +
      "statement that only reads",
  );
}

/** Whether the query's text may be nested in another statement. */
export function isEmbeddable({ columns, text, isReadOnly }: SavedQuery): boolean {
  return columns !== undefined && columns.length > 0 && text.isEmbeddable && isReadOnly !== false;
}
