/**
 * Runs a query that is not stored yet, for its author: the first rows of its result, and the engine's plan.
 *
 * @module
 */

import { startDeadline } from "@/core/base/in_time.ts";
import { explainFailure, type ReachedDatabase } from "@/core/database/explain_failure.ts";
import { badRequest, ServiceError } from "@/core/errors.ts";
import type { Cell, QueryDefinition, Value } from "@/core/model.ts";
import type { NameComplaint } from "@/core/schema/definition_names.ts";
import { ALL_ROWS } from "@/core/sql/selection.ts";
import { bindEach, bindSlots } from "@/core/sql/statement.ts";
import type { Database, Log, ReadOptions } from "@/plugins/contract.ts";
import { bindArguments, completeArguments, type QueryParameters, readArguments } from "./arguments.ts";
import { isEmbeddable } from "./compile_query.ts";
import { describeQuery, placeInQuery, type SavedQuery, typesOf, withParameters } from "./saved_query.ts";

/** Rows of a trial. */
export const MOST_TRIED = 20;

interface TrialResult {
  /** The first rows as text; null for NULL. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** The engine's plan, line by line; null: the engine has none. */
  readonly plan: readonly string[] | null;
}

/**
 * Runs the query for at most five seconds. Throws 400 for a query that may change something or returns no
 * list and for arguments that do not fit, 504 after the time, and the explained failures of the database.
 */
export async function runTrial(
  query: SavedQuery,
  given: unknown,
  reached: ReachedDatabase,
  { signal, requestId, turn, log }: ReadOptions & { readonly log: Log },
): Promise<TrialResult> {
  const { definition, text, isReadOnly } = query;
  if (!isEmbeddable(query)) {
    const reason = isReadOnly === false
      ? refusedChange(definition, isReadOnly) ?? "the statement changes data"
      : "it is no single statement that only returns rows";
    throw badRequest(`Cannot run this query for a trial: ${reason}`);
  }
  const { database, managed } = reached;
  const parameters = { definition, names: text.parameters, special: database.sql.special };
  const values = bindArguments(readValues(given, parameters), parameters, database);
  const statement = query.statements.rows({ ...ALL_ROWS, paged: true });
  const bound = bindSlots(statement.slots, values, { limit: MOST_TRIED, offset: 0 });
  using deadline = startDeadline(
    signal,
    "The query takes longer than five seconds, so it is not tried further",
  );
  using _lease = managed.lease(database);
  try {
    const plan = await planOf(query, values, database);
    const prepared = database.prepare(statement);
    const read = { signal: deadline.signal, requestId, turn };
    const [rows = []] = await database.read([{ prepared, parameters: bound }], read);
    return { rows: rows.map((row) => row.map(textOf)), plan };
  } catch (error) {
    if (signal.aborted || deadline.signal.aborted) return deadline.rethrow(error);
    const written = { definition, readOnly: true, log };
    throw explainFailure(error, { kind: "read", ...reached, values, written });
  }
}

/** Its complaints are about `:name`: the form of a query has members, too, which may have that name. */
function readValues(given: unknown, parameters: QueryParameters): readonly Value[] {
  try {
    return completeArguments(readArguments(given, parameters), parameters);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const complaints = error.complaints.map((each) => ({ ...each, column: `:${each.column}` }));
    throw badRequest(error.message, { complaints });
  }
}

/** The plan of the text itself, not of the page around it. */
async function planOf(
  { definition, text, statements }: SavedQuery,
  values: readonly unknown[],
  database: ReachedDatabase["database"],
): Promise<readonly string[] | null> {
  if (!database.plan) return null;
  const { sql, verb, slots } = statements.plain();
  const parameters = typesOf(slots, definition, text);
  return await database.plan({ sql, verb, parameters }, bindEach(slots, (slot) => values[slot]));
}

function textOf(value: Cell): string | null {
  if (value === null) return null;
  return value instanceof Uint8Array ? `${value.length} bytes` : String(value);
}

/** Why the database refuses the statement; undefined for a failure with another cause. */
export function reasonOf(
  error: unknown,
  position: number | undefined,
  definition: QueryDefinition,
  database: Database,
): string | undefined {
  if (error instanceof ServiceError) return error.code === "bad-request" ? error.message : undefined;
  const failure = database.classify(error);
  const isRefusal = failure === "invalid" || failure === "permission" || failure === "changed";
  return isRefusal ? withParameters(database.explain(error), position, definition, database) : undefined;
}

/**
 * Why no request can run the query; undefined if the database takes it, or cannot tell: users may have rights
 * that this login lacks. A query without a method is switched off.
 */
export async function refusalOf(
  query: QueryDefinition,
  database: Database,
): Promise<NameComplaint | undefined> {
  try {
    const { isReadOnly } = await describeQuery(query, database);
    const refused = query.methods.length > 0 && refusedChange(query, isReadOnly);
    return refused ? { key: "http_methods", message: `No method may run it: ${refused}` } : undefined;
  } catch (error) {
    if (database.classify(error) === "permission") return undefined;
    const reason = reasonOf(error, placeInQuery(error, query, database), query, database);
    return reason === undefined
      ? undefined
      : { key: "sqlstr", message: `The database refuses it: ${reason}` };
  }
}

const IN_FILE = 'set "read_only: false" in the file or over HTTP';

/**
 * A sentence for the author. `isReadOnly` is the effect of the statement as far as the engine tells it.
 * Undefined if a method may run the query.
 */
export function refusedChange(
  { methods, readOnly }: QueryDefinition,
  isReadOnly: boolean | undefined,
): string | undefined {
  if (methods.length === 0) return "no method runs it: choose GET if it only reads, else POST";
  if (isReadOnly !== false || readOnly === false) return undefined;
  if (readOnly === true) {
    return `the statement changes data, which "read_only: true" does not allow: ${IN_FILE}`;
  }
  if (methods.some((method) => method !== "GET")) return undefined;
  return `the statement changes data, which GET may not: choose the method POST instead, or ${IN_FILE}`;
}
