/**
 * Stage 4 of saved queries. The first run in a view asks the database for the columns of the result. A query
 * that only reads is read like a table; others run in one transaction, once per set of arguments.
 *
 * @module
 */

import { inTurns } from "@/core/base/cooperative.ts";
import { attempt, type Eventual, whenThere } from "@/core/base/eventual.ts";
import { requestLog } from "@/core/base/named_log.ts";
import { WeightedCache } from "@/core/base/weighted_cache.ts";
import type { Column } from "@/core/catalog.ts";
import {
  changesSomething,
  explainFailure,
  repeatOnce,
  requireColumns,
} from "@/core/database/explain_failure.ts";
import { badRequest, quote, ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import type { QueryDefinition, Row } from "@/core/model.ts";
import type { Redirect, SchemaPlan } from "@/core/plan.ts";
import { withBody } from "@/core/request/body.ts";
import { requireUseful } from "@/core/request/parameters.ts";
import { QueryStatements } from "@/core/sql/query_statements.ts";
import { ALL_ROWS } from "@/core/sql/selection.ts";
import { bindSlots } from "@/core/sql/statement.ts";
import { executeRead, type ShownRows } from "@/core/tables/execute_read.ts";
import { BodyOptions, closing, receive } from "@/core/tables/execute_write.ts";
import type { Database } from "@/plugins/contract.ts";
import {
  type Arguments,
  bindArguments,
  completeArguments,
  parametersOfSet,
  readQueryBody,
} from "./arguments.ts";
import {
  compileQuery,
  failing,
  isEmbeddable,
  isKnown,
  planQuerySchema,
  planRows,
  selectionOf,
} from "./compile_query.ts";
import type { QueryPlan } from "./plan_query.ts";
import {
  createSavedQueries,
  findSavedQuery,
  type KnownQuery,
  nameColumns,
  type SavedQuery,
} from "./saved_query.ts";

/** Largest number of rows in one answer; beyond it the transaction is rolled back. */
const MAX_ROWS = 50_000;
/** Largest number of sets of arguments in one request. */
const MAX_SETS = 1000;

/**
 * Returns a redirect if a limit must be added to the URL. Throws 400 for arguments and parameters, 404 for
 * a listed column that the result lacks, 503 for SQL that its database refuses, and explained failures of
 * the database; nothing is half done.
 */
export function executeQuery(
  plan: QueryPlan,
  exchange: Exchange,
): Eventual<Redirect | SchemaPlan | ShownRows> {
  const { query: { definition }, view: { memo } } = plan;
  return attempt(
    () => whenThere(findQuery(plan, exchange), (query) => answer(query, plan, exchange)),
    (error) => {
      // Its statement may be outdated: the next use prepares it again.
      if (error instanceof ServiceError && error.code === "unavailable") {
        memo(createSavedQueries).delete(definition);
      }
      throw error;
    },
  );
}

/** Prepares the query on its first use in this view. */
function findQuery(plan: QueryPlan, exchange: Exchange): Eventual<SavedQuery> {
  return attempt(() => findSavedQuery(plan.query.definition, plan.view), (error) => {
    throw explainFailure(error, { kind: "read", ...failing(plan, [], exchange) });
  });
}

function answer(
  query: SavedQuery,
  plan: QueryPlan,
  exchange: Exchange,
): Eventual<Redirect | SchemaPlan | ShownRows> {
  const { asks, readOnly, request, path: { columns } } = plan;
  if (asks === "schema") return planQuerySchema(query, plan, exchange.service);
  if (readOnly && query.isReadOnly === false) throw changesSomething(query.definition);
  if (asks === "rows" && readOnly && isKnown(query) && isRead(query, columns)) {
    const rows = planRows(query, plan, exchange);
    return rows.kind === "redirect" ? rows : whenThere(executeRead(rows, exchange), withKnownColumns);
  }
  // Rows come from a transaction here, or once for each set of arguments: they cannot be a page of a list.
  requireUseful(request, "run");
  return withBody(exchange, (source) => runQuery(query, plan, new BodyOptions(source, request, exchange)));
}

/** Throws 503 if its rows have other columns; a stream ends then. */
function withKnownColumns(answered: ShownRows): Eventual<ShownRows> {
  const { result, compiled: { shape: { columns } } } = answered;
  const isStream = result.kind === "stream";
  const [row] = isStream ? result.first : result.rows;
  return attempt(() => {
    requireColumns(row, columns.length);
    return answered;
  }, async (error) => {
    if (isStream) await result.chunks.return?.();
    throw error;
  });
}

/** Whether rows can be read like those of a table: in pages, or streamed. */
export function isRead(query: KnownQuery, listed: string | undefined): boolean {
  return query.text.isReadable && query.columns.length > 0 && (listed === undefined || isEmbeddable(query));
}

/** Runs once per set of arguments. */
async function runQuery(query: SavedQuery, plan: QueryPlan, options: BodyOptions): Promise<ShownRows> {
  const { managed, does, readOnly, view: { database } } = plan;
  if (!readOnly) managed.faults.requireSound();
  using _lease = managed.lease(database);
  const sets = await readSets(plan, options);
  const known = isKnown(query) ? present(query, plan, options) : undefined;
  const running: Running = { query, plan, sets, options, current: undefined };
  return await repeatOnce(
    () => known && readOnly && isEmbeddable(query) ? read(running, known) : run(running, known),
    {
      kind: does,
      ...failing(plan, sets.flat(), { log: requestLog(options.service.log, options.requestId) }),
      get record() {
        return running.current;
      },
    },
  );
}

/** A compiled read with its selected columns. */
interface Presentation extends Pick<ShownRows, "compiled"> {
  /** Positions of the listed columns; absent: all. */
  readonly columns?: readonly number[];
}

/** Throws 404 for a listed column that the result lacks. */
function present(query: KnownQuery, plan: QueryPlan, { service }: BodyOptions): Presentation {
  const { columns } = selectionOf(query, plan);
  const listed = columns ? { columns } : {};
  const selection = { ...ALL_ROWS, ...listed };
  return { compiled: compileQuery(query, plan, service, { selection, stream: false }), ...listed };
}

/** The parameters of each run, in the form of the driver. */
async function readSets(
  { query, path, body, view: { database } }: QueryPlan,
  options: BodyOptions,
): Promise<readonly (readonly unknown[])[]> {
  const { definition: { id, parameters }, names } = query;
  let sets: readonly Arguments[] = [path.arguments];
  if (body) {
    const columns = new Map(names.map((name) => [name, parameters.get(name) ?? "text"] as const));
    const received = await receive({ name: id, columns }, body, options);
    const reading = readQueryBody(received, { path: path.arguments, query, most: MAX_SETS });
    sets = await closing(received, inTurns(reading, options.turn));
  }
  return sets.map((set, position) => {
    const asked = parametersOfSet(query, position, sets.length);
    return bindArguments(completeArguments(set, asked), asked, database);
  });
}

interface Running {
  readonly query: SavedQuery;
  readonly plan: QueryPlan;
  /** The values of each run in the order of the parameters. */
  readonly sets: readonly (readonly unknown[])[];
  readonly options: BodyOptions;
  /** The position of the set that runs, if there are several and each runs alone. */
  current: number | undefined;
}

/** All sets read the same snapshot; together they may return as many rows as an answer holds. */
async function read(
  { query, plan: { view: { database } }, sets, options }: Running,
  presentation: Presentation,
): Promise<ShownRows> {
  const statement = query.statements.rows({ ...ALL_ROWS, paged: true });
  const prepared = database.prepare(statement);
  const share = Math.floor(MAX_ROWS / sets.length);
  const runs = sets.map((values) => ({
    prepared,
    parameters: bindSlots(statement.slots, values, { limit: share + 1, offset: 0 }),
  }));
  const results = await database.read(runs, options);
  for (const [row] of results) requireColumns(row, query.columns?.length ?? 0);
  if (results.some((rows) => rows.length > share)) throw tooMany(`${share} rows of each set of arguments`);
  return shown(results.flat(), presentation);
}

/**
 * Runs the sets one after another in a transaction, which is committed only
 * if the query may change something.
 */
async function run(running: Running, known: Presentation | undefined): Promise<ShownRows> {
  const { query, plan, sets, options } = running;
  const { readOnly, view: { database } } = plan;
  const { signal, requestId, turn } = options;
  // Without a page the whole result would be in memory.
  const statement = isEmbeddable(query) && !query.text.isLocking
    ? query.statements.rows({ ...ALL_ROWS, paged: true })
    : query.statements.plain();
  await using transaction = await database.begin({ signal, requestId, turn, readOnly });
  const rows: Row[] = [];
  let found: SavedQuery["columns"];
  let changes = 0;
  for (const [position, values] of sets.entries()) {
    if (sets.length > 1) running.current = position;
    const page = { limit: MAX_ROWS + 1 - rows.length, offset: 0 };
    const outcome = await transaction.run(statement, bindSlots(statement.slots, values, page));
    if (query.columns) requireColumns(outcome.rows[0], query.columns.length);
    if (readOnly && outcome.changes > 0) throw changesSomething(query.definition);
    if (!known && outcome.columns && outcome.columns.length > 0) {
      const columns = nameColumns(outcome.columns);
      if (found && namesOf(found) !== namesOf(columns)) throw differing(query.definition);
      found ??= columns;
    }
    changes += outcome.changes;
    for (const row of outcome.rows) rows.push(row);
    if (rows.length > MAX_ROWS) throw tooMany(`${MAX_ROWS} rows`);
  }
  running.current = undefined;
  const presentation = known ?? present(withColumns(query, found ?? [], database), plan, options);
  await (readOnly ? transaction.rollback() : transaction.commit());
  return { ...shown(rows, presentation), ...(query.text.isWriting ? { changes } : {}) };
}

function namesOf(columns: readonly Column[]): string {
  return JSON.stringify(columns.map(({ name }) => name));
}

/** Each run of a query with unknown columns may return others, or none, so plans are not shared. */
function withColumns(query: SavedQuery, columns: readonly Column[], { sql }: Database): KnownQuery {
  const statements = new QueryStatements(sql, query.text, columns);
  return { ...query, columns, statements, plans: new WeightedCache() };
}

function differing({ id }: QueryDefinition): ServiceError {
  return badRequest(
    `Cannot run query ${quote(id)} with these sets at once: their results have different columns`,
  );
}

function tooMany(rows: string): ServiceError {
  return badRequest(`Cannot put more than ${rows} into this answer: narrow the query`);
}

function shown(rows: readonly Row[], { compiled, columns }: Presentation): ShownRows {
  const listed = columns ? rows.map((row) => columns.map((position) => row[position] ?? null)) : rows;
  return { kind: "rows", compiled, result: { kind: "rows", rows: listed } };
}
