/**
 * Stage 4 of saved queries that take a body or may change the database: one run per set of arguments, in one transaction.
 *
 * @module
 */

import { type Body, type BodyFormat, receiveBody } from "@/core/request/body.ts";
import { ServiceError } from "@/core/errors.ts";
import type { ExecuteWriteOptions } from "@/core/tables/execute_write.ts";
import type { Result } from "@/core/tables/execute_read.ts";
import { changesSomething, repeatOnce } from "@/core/database/explain_failure.ts";
import type { Row } from "@/core/model.ts";
import { isEmbeddable } from "./compile_query.ts";
import type { CompiledRead } from "@/core/tables/compile_read.ts";
import type { Presentation, QueryPlan } from "./plan_query.ts";
import { bindArguments, completeArguments, readQueryBody } from "./arguments.ts";
import { nameColumns } from "./saved_query.ts";
import { inTurns } from "@/core/base/cooperative.ts";
import { LIMIT_SLOT, OFFSET_SLOT, type Statement } from "@/core/sql/statement.ts";

/** Largest number of rows in one answer; beyond it the transaction is rolled back. */
const MAX_ROWS = 50_000;
/** Largest number of sets of arguments in one request. */
const MAX_SETS = 1000;

/** Rows, and the compiled read that shows them. */
export interface Ran {
  readonly result: Result;
  readonly compiled: CompiledRead;
}

/** Throws 400 for arguments, and explained failures of the database; nothing is half done. */
export async function executeQuery(plan: QueryPlan, options: ExecuteWriteOptions): Promise<Ran> {
  using _lease = plan.managed.lease(plan.database);
  const { query: { columns }, query } = plan;
  const known = columns && plan.present(columns);
  const sets = await readSets(plan, options);
  const failed = {
    ...plan,
    kind: plan.does,
    written: { ...plan.written, values: sets.flat() },
  };
  const isRead = plan.readOnly && isEmbeddable(query);
  const work = known && isRead
    ? () => read(plan, known, { sets, signal: options.signal })
    : () => run(plan, known, { sets, signal: options.signal });
  return await repeatOnce(work, failed);
}

/** The parameters of each run, in the form of the driver. */
async function readSets(
  plan: QueryPlan,
  options: ExecuteWriteOptions,
): Promise<readonly (readonly unknown[])[]> {
  const { parameters: query, given: path, body, database } = plan;
  const sets = body
    ? await inTurns(readQueryBody(await receive(plan, body, options), { path, query, most: MAX_SETS }))
    : [path];
  return sets.map((set) => bindArguments(completeArguments(set, query), query, database));
}

function receive(
  { parameters: { definition, names } }: QueryPlan,
  body: BodyFormat,
  { source, service, nullMarker, csvNullStr }: ExecuteWriteOptions,
): Promise<Body> {
  const columns = new Map(names.map((name) => [name, definition.parameters.get(name) ?? "text"] as const));
  const input = { name: definition.id, columns, nullMarker, csvNullStr };
  return receiveBody(source, body, { input, limit: service.settings.max_body_size });
}

interface Running {
  /** The values of each run in the order of the parameters. */
  readonly sets: readonly (readonly unknown[])[];
  readonly signal: AbortSignal;
}

/** All sets read the same snapshot; together they may return as many rows as an answer holds. */
async function read(
  { database, query }: QueryPlan,
  { compiled, columns }: Presentation,
  { sets, signal }: Running,
): Promise<Ran> {
  const statement = query.statements.rows({ distinct: false, sort: [], paged: true });
  const prepared = database.prepare(statement);
  const share = Math.floor(MAX_ROWS / sets.length);
  const runs = sets.map((values) => ({ prepared, parameters: inOrder(statement, values, share + 1) }));
  const results = await database.read(runs, { signal });
  if (results.some((rows) => rows.length > share)) throw tooMany(share);
  return { result: { kind: "rows", rows: listColumns(results.flat(), columns) }, compiled };
}

/** Runs the sets one after another in a transaction, which is committed only if the query may change something. */
async function run(
  plan: QueryPlan,
  known: Presentation | undefined,
  { sets, signal }: Running,
): Promise<Ran> {
  const { database, query, readOnly, written } = plan;
  const statement = query.statements.plain();
  await using transaction = await database.begin({ signal, readOnly });
  const rows: Row[] = [];
  let shown = known;
  for (const values of sets) {
    const outcome = await transaction.run(statement, inOrder(statement, values, 0));
    if (readOnly && outcome.changes > 0) throw changesSomething(written.id);
    shown ??= plan.present(nameColumns(outcome.columns ?? []));
    for (const row of outcome.rows) rows.push(row);
    if (rows.length > MAX_ROWS) throw tooMany(MAX_ROWS);
  }
  const { compiled, columns } = shown ?? plan.present([]);
  const result = { kind: "rows", rows: listColumns(rows, columns) } as const;
  await (readOnly ? transaction.rollback() : transaction.commit());
  return { result, compiled };
}

function inOrder({ slots }: Statement, values: readonly unknown[], limit: number): readonly unknown[] {
  return slots.map((slot) => slot === LIMIT_SLOT ? limit : slot === OFFSET_SLOT ? 0 : values[slot]);
}

function tooMany(most: number): ServiceError {
  return new ServiceError(
    "bad-request",
    `Cannot put more than ${most} rows of each set of arguments into this answer: narrow the query`,
  );
}

function listColumns(rows: readonly Row[], columns: readonly number[] | undefined): readonly Row[] {
  if (!columns) return rows;
  return rows.map((row) => columns.map((position) => row[position] ?? null));
}
