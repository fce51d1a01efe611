/**
 * Stage 4 of saved queries. The first run in a view asks the database for the columns of the result. A query that only
 * reads is read like a table; others run in one transaction, once per set of arguments.
 *
 * @module
 */

import { attempt, type Eventual, whenThere } from "@/core/base/eventual.ts";
import { type Body, type BodyFormat, receiveBody, withBody } from "@/core/request/body.ts";
import { badRequest, quote, ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import { bodyOptions, type ExecuteWriteOptions } from "@/core/tables/execute_write.ts";
import { type ShownRows, showRead } from "@/core/tables/execute_read.ts";
import {
  changesSomething,
  explainFailure,
  repeatOnce,
  type WrittenQuery,
} from "@/core/database/explain_failure.ts";
import type { Column, Row } from "@/core/model.ts";
import type { Redirect, SchemaPlan } from "@/core/plan.ts";
import { compileQuery, isEmbeddable, queryShape, selectionOf } from "./compile_query.ts";
import type { QueryPlan } from "./plan_query.ts";
import { bindArguments, completeArguments, readQueryBody } from "./arguments.ts";
import {
  createSavedQueries,
  findSavedQuery,
  type KnownQuery,
  nameColumns,
  type SavedQuery,
} from "./saved_query.ts";
import { inTurns } from "@/core/base/cooperative.ts";
import { WeightedCache } from "@/core/base/weighted_cache.ts";
import { requireUseful } from "@/core/request/parameters.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import { defaultLimitOf, type ReadPlan, withLimit } from "@/core/tables/plan_read.ts";
import { planShapeSchema } from "@/core/tables/plan_schema.ts";
import { LIMIT_SLOT, OFFSET_SLOT, type Statement } from "@/core/sql/statement.ts";
import type { Database } from "@/plugins/contract.ts";

/** Largest number of rows in one answer; beyond it the transaction is rolled back. */
const MAX_ROWS = 50_000;
/** Largest number of sets of arguments in one request. */
const MAX_SETS = 1000;

/**
 * Returns a redirect if a limit must be added to the URL. Throws 400 for arguments and parameters, 404 for a listed
 * column that the result lacks, 503 for SQL that its database refuses, and explained failures of the database; nothing is
 * half done.
 */
export function executeQuery(
  plan: QueryPlan,
  request: ApiRequest,
  exchange: Exchange,
): Eventual<Redirect | SchemaPlan | ShownRows> {
  const { asks, readOnly, path } = plan;
  return whenThere(findQuery(plan, exchange), (query) => {
    if (asks === "schema") return planQuerySchema(query, plan, request, exchange);
    if (readOnly && query.isReadOnly === false) throw changesSomething(query.definition.id);
    if (asks === "rows" && readOnly && isKnown(query) && isRead(query, path.columns)) {
      return readQuery(query, plan, request, exchange);
    }
    // Rows come from a transaction here, or once for each set of arguments: they cannot be a page of a list.
    requireUseful(request, "run");
    return withBody(exchange, (source) => {
      return runQuery(query, plan, request, bodyOptions(source, request, exchange));
    });
  });
}

/** Prepares the query on its first use in this view. */
function findQuery(plan: QueryPlan, exchange: Exchange): Eventual<SavedQuery> {
  const { managed, connection, query: { definition }, view: { database, schema: visible, memo } } = plan;
  const queries = memo(createSavedQueries);
  return attempt(() => findSavedQuery(definition, { database, queries }), (error) => {
    const written = writtenQuery(plan, [], exchange);
    throw explainFailure(error, { kind: "read", managed, connection, database, visible, written });
  });
}

/** The facts for explaining a failure of the query. */
function writtenQuery(
  { query: { definition }, view: { memo } }: QueryPlan,
  values: readonly unknown[],
  { service: { log } }: Pick<Exchange, "service">,
): WrittenQuery {
  const forget = () => void memo(createSavedQueries).delete(definition);
  return { id: definition.id, log, values, forget };
}

function planQuerySchema(
  query: SavedQuery,
  { path }: QueryPlan,
  request: ApiRequest,
  { service }: Exchange,
): SchemaPlan {
  if (!isKnown(query)) {
    const what = `Cannot give a schema of query ${
      quote(query.definition.id)
    }: its columns are known only when it runs`;
    throw badRequest(what);
  }
  const selection = selectionOf(query, path.columns, request);
  return planShapeSchema(queryShape(query, selection, { request, service }), request, service);
}

function isKnown(query: SavedQuery): query is KnownQuery {
  return query.columns !== undefined;
}

/** Whether rows can be read like those of a table: in pages, or streamed. */
function isRead(query: KnownQuery, listed: string | undefined): boolean {
  return query.text.isReadable && query.columns.length > 0 && (listed === undefined || isEmbeddable(query));
}

function readQuery(
  query: KnownQuery,
  plan: QueryPlan,
  request: ApiRequest,
  exchange: Exchange,
): Eventual<Redirect | ShownRows> {
  const { managed, view: { database } } = plan;
  const { service } = exchange;
  const values = bindArguments(completeArguments(plan.path.arguments, plan.query), plan.query, database);
  const limit = isEmbeddable(query) ? defaultLimitOf({ request, managed, service }) : undefined;
  if (limit !== undefined && request.parameters.limit === undefined) {
    return { kind: "redirect", status: 302, location: withLimit(request, service.prefix, limit) };
  }
  return showRead(readPlan(query, plan, values, request, exchange), exchange);
}

function readPlan(
  query: KnownQuery,
  plan: QueryPlan,
  values: readonly unknown[],
  request: ApiRequest,
  exchange: Exchange,
): ReadPlan {
  const { managed, connection, view: { database, schema: visible }, path } = plan;
  const { service } = exchange;
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
    limit: parameters.limit,
    offset: parameters.offset ?? 0,
    stream,
    visible,
    written: writtenQuery(plan, values, exchange),
  };
}

/** Runs once per set of arguments. */
async function runQuery(
  query: SavedQuery,
  plan: QueryPlan,
  request: ApiRequest,
  options: ExecuteWriteOptions,
): Promise<ShownRows> {
  const { managed, connection, does, readOnly, view: { database, schema: visible } } = plan;
  using _lease = managed.lease(database);
  const show = (columns: readonly Column[]) => present(withColumns(query, columns), plan, request, options);
  const known = query.columns && show(query.columns);
  const sets = await readSets(plan, options);
  const running = { query, database, readOnly, sets, signal: options.signal };
  const written = writtenQuery(plan, sets.flat(), options);
  const failed = { kind: does, managed, connection, database, visible, written };
  return await repeatOnce(
    () => known && readOnly && isEmbeddable(query) ? read(running, known) : run(running, known, show),
    failed,
  );
}

/** Each run of a query with unknown columns may return other columns, so plans are not shared. */
function withColumns(query: SavedQuery, columns: readonly Column[]): KnownQuery {
  if (isKnown(query)) return query;
  return { ...query, columns, statements: query.statements.with(columns), plans: new WeightedCache() };
}

/** A compiled read with its selected columns. */
interface Presentation extends Pick<ShownRows, "compiled"> {
  /** Positions of the listed columns; absent: all. */
  readonly columns?: readonly number[];
}

/** Throws 404 for a listed column that the result lacks. */
function present(
  query: KnownQuery,
  { path, view: { database } }: QueryPlan,
  request: ApiRequest,
  { service }: ExecuteWriteOptions,
): Presentation {
  const { columns } = selectionOf(query, path.columns, request);
  const selection = { distinct: false, sort: [], paged: false, ...(columns ? { columns } : {}) };
  const compiled = compileQuery(query, { selection, request, service, database, stream: false });
  return { compiled, ...(columns ? { columns } : {}) };
}

/** The parameters of each run, in the form of the driver. */
async function readSets(
  { query, path, body, view: { database } }: QueryPlan,
  options: ExecuteWriteOptions,
): Promise<readonly (readonly unknown[])[]> {
  const sets = body
    ? await inTurns(
      readQueryBody(await receive(query, body, options), { path: path.arguments, query, most: MAX_SETS }),
    )
    : [path.arguments];
  return sets.map((set) => bindArguments(completeArguments(set, query), query, database));
}

function receive(
  { definition, names }: QueryPlan["query"],
  body: BodyFormat,
  { source, service, nullMarker, csvNullStr }: ExecuteWriteOptions,
): Promise<Body> {
  const columns = new Map(names.map((name) => [name, definition.parameters.get(name) ?? "text"] as const));
  const input = { name: definition.id, columns, nullMarker, csvNullStr };
  return receiveBody(source, body, { input, limit: service.settings.max_body_size });
}

interface Running {
  readonly query: SavedQuery;
  readonly database: Database;
  readonly readOnly: boolean;
  /** The values of each run in the order of the parameters. */
  readonly sets: readonly (readonly unknown[])[];
  readonly signal: AbortSignal;
}

/** All sets read the same snapshot; together they may return as many rows as an answer holds. */
async function read(
  { database, query, sets, signal }: Running,
  { compiled, columns }: Presentation,
): Promise<ShownRows> {
  const statement = query.statements.rows({ distinct: false, sort: [], paged: true });
  const prepared = database.prepare(statement);
  const share = Math.floor(MAX_ROWS / sets.length);
  const runs = sets.map((values) => ({ prepared, parameters: inOrder(statement, values, share + 1) }));
  const results = await database.read(runs, { signal });
  if (results.some((rows) => rows.length > share)) throw tooMany(share);
  return shown(results.flat(), columns, compiled);
}

/** Runs the sets one after another in a transaction, which is committed only if the query may change something. */
async function run(
  { database, query, readOnly, sets, signal }: Running,
  known: Presentation | undefined,
  show: (columns: readonly Column[]) => Presentation,
): Promise<ShownRows> {
  const statement = query.statements.plain();
  await using transaction = await database.begin({ signal, readOnly });
  const rows: Row[] = [];
  let presentation = known;
  for (const values of sets) {
    const outcome = await transaction.run(statement, inOrder(statement, values, 0));
    if (readOnly && outcome.changes > 0) throw changesSomething(query.definition.id);
    presentation ??= show(nameColumns(outcome.columns ?? []));
    for (const row of outcome.rows) rows.push(row);
    if (rows.length > MAX_ROWS) throw tooMany(MAX_ROWS);
  }
  const { compiled, columns } = presentation ?? show([]);
  await (readOnly ? transaction.rollback() : transaction.commit());
  return shown(rows, columns, compiled);
}

function inOrder({ slots }: Statement, values: readonly unknown[], limit: number): readonly unknown[] {
  return slots.map((slot) => slot === LIMIT_SLOT ? limit : slot === OFFSET_SLOT ? 0 : values[slot]);
}

function tooMany(most: number): ServiceError {
  return badRequest(
    `Cannot put more than ${most} rows of each set of arguments into this answer: narrow the query`,
  );
}

function shown(
  rows: readonly Row[],
  columns: readonly number[] | undefined,
  compiled: ShownRows["compiled"],
): ShownRows {
  const listed = columns ? rows.map((row) => columns.map((position) => row[position] ?? null)) : rows;
  return { kind: "rows", compiled, result: { kind: "rows", rows: listed } };
}
