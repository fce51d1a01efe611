/**
 * The summary of a saved query's result. Its rows are read with the access of the query and summed up in
 * memory: the text of a query may be one that engines do not nest, such as a call, and SQLite knows no types
 * of computed columns. So the answer is right on each engine.
 *
 * @module
 */

import { inTurns } from "@/core/base/cooperative.ts";
import { startDeadline } from "@/core/base/in_time.ts";
import { explainFailure, repeatOnce, requireColumns } from "@/core/database/explain_failure.ts";
import { badRequest, quote, ServiceError } from "@/core/errors.ts";
import type { Exchange } from "@/core/exchange.ts";
import type { Row } from "@/core/model.ts";
import { bindArguments, completeArguments } from "@/core/queries/arguments.ts";
import { failing, isKnown, selectionOf } from "@/core/queries/compile_query.ts";
import { executeQuery, isRead } from "@/core/queries/execute_query.ts";
import type { QueryPlan } from "@/core/queries/plan_query.ts";
import { findSavedQuery, type KnownQuery } from "@/core/queries/saved_query.ts";
import { bindSlots } from "@/core/sql/statement.ts";
import { sizeOf } from "@/core/tables/row_sizes.ts";
import type { Log, StreamOptions, Summary } from "@/plugins/contract.ts";
import { TOO_LONG } from "./summary_parts.ts";
import type { AskedColumn, SummaryQuestion } from "./question.ts";
import { MOST_ROWS, summarizeRows, typeOf } from "./summarize_rows.ts";

/** Characters and bytes of the values that are kept. */
const MOST_KEPT = 50_000_000;

/** The part of an exchange that a summary uses. */
interface QuerySummaryOptions extends StreamOptions {
  readonly log: Log;
  readonly milliseconds?: number;
}

/**
 * The answer to the question that `ask` makes of the result's columns. Throws 400 for a query that returns no
 * list or may change something, 504 after five seconds, and everything that running the query throws.
 */
export async function summarizeQuery(
  plan: QueryPlan,
  ask: Ask,
  { signal, requestId, turn, fetchSize, log, milliseconds }: QuerySummaryOptions,
): Promise<Summary> {
  const { managed, view: { database }, query: { definition: { id } }, readOnly } = plan;
  using deadline = startDeadline(signal, TOO_LONG, milliseconds);
  using _lease = managed.lease(database);
  const failed = { kind: "read" as const, ...failing(plan, [], { log }) };
  try {
    const query = await Promise.resolve(findSavedQuery(plan.query.definition, plan.view))
      .catch((error: unknown) => {
        throw explainFailure(error, failed);
      });
    const isList = isKnown(query) && isRead(query, plan.path.columns);
    if (!isList || !readOnly || query.isReadOnly === false) {
      throw badRequest(`Cannot sum up query ${quote(id)}: it is no query that only returns a list`);
    }
    const { columns, read } = readerOf(query, plan);
    const streamed = { signal: deadline.signal, requestId, turn, fetchSize };
    const { rows, question } = await repeatOnce(() => read(ask, streamed), failed);
    return await inTurns(summarizeRows(rows, columns, question));
  } catch (error) {
    return deadline.rethrow(error);
  }
}

/**
 * The summary of a query that is run, once: its rows may only come from that. Throws everything that running
 * the query throws; a question that does not fit is refused after the run.
 */
export async function summarizeRun(plan: QueryPlan, ask: Ask, exchange: Exchange): Promise<Summary> {
  const answer = await executeQuery(plan, exchange);
  if (answer.kind !== "rows" || answer.result.kind !== "rows") {
    throw new ServiceError("internal", "A query that is run gave no rows");
  }
  const { compiled: { shape: { columns } }, result: { rows } } = answer;
  return await inTurns(summarizeRows(rows, columns, ask(typed(columns, rows))));
}

/** The question that is made of the columns, once their types are known. */
type Ask = (columns: readonly AskedColumn[]) => SummaryQuestion;

interface Asked {
  readonly rows: readonly Row[];
  readonly question: SummaryQuestion;
}

/** Rows that show the types of columns without one: SQLite has none for computed columns. */
const SHOWN = 1000;

/** The columns with the types of their first values, for those without one of their own. */
function typed(columns: readonly AskedColumn[], rows: readonly Row[]): readonly AskedColumn[] {
  const first = rows.slice(0, SHOWN);
  return columns.map((column, at) =>
    column.type === "any" ? { ...column, type: typeOf(first.map((row) => row[at])) } : column
  );
}

function readerOf(query: KnownQuery, plan: QueryPlan): {
  readonly columns: readonly AskedColumn[];
  read(ask: Ask, options: StreamOptions): Promise<Asked>;
} {
  const { view: { database } } = plan;
  const { columns: listed, distinct } = selectionOf(query, plan);
  const selection = { distinct, sort: [], paged: false, ...(listed ? { columns: listed } : {}) };
  const statement = query.statements.rows(selection);
  const values = bindArguments(completeArguments(plan.path.arguments, plan.query), plan.query, database);
  const parameters = bindSlots(statement.slots, values, { limit: MOST_ROWS + 1, offset: 0 });
  const prepared = database.prepare(statement);
  const columns = listed?.flatMap((position) => query.columns[position] ?? []) ?? query.columns;
  return {
    columns,
    read: async (ask, options) => {
      const rows: Row[] = [];
      let kept = 0;
      let question: SummaryQuestion | undefined;
      let asked: ReadonlySet<number | undefined> = new Set();
      for await (const chunk of database.stream({ prepared, parameters }, options)) {
        requireColumns(chunk[0], columns.length);
        if (!question) {
          question = ask(typed(columns, chunk));
          asked = new Set([question.column, question.total?.column, question.points]);
        }
        for (const row of chunk) rows.push(row.map((cell, at) => asked.has(at) ? cell : null));
        for (const row of chunk) for (const at of asked) kept += sizeOf(at === undefined ? null : row[at]);
        if (kept > MOST_KEPT) throw tooLarge(query.definition.id);
        if (rows.length > MOST_ROWS) break;
      }
      return { rows, question: question ?? ask(columns) };
    },
  };
}

function tooLarge(id: string): ServiceError {
  return badRequest(`Cannot sum up query ${quote(id)}: its values are too large, choose another column`);
}
