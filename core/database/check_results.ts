/**
 * Guards the service against dialects with mistakes: checks the results of a connected database, at no cost
 * per row.
 *
 * @module
 */

import { isObject } from "@/core/base/plugin_answers.ts";
import { quote } from "@/core/errors.ts";
import { isValueType } from "@/core/request/read_value.ts";
import type {
  Catalog,
  Column,
  Database,
  DatabaseUsage,
  Failure,
  Outcome,
  Row,
  StatementDescription,
} from "@/plugins/contract.ts";
import { UNTOLD } from "@/plugins/kit/database_failure.ts";

/** The rows of each statement. Throws a TypeError for anything else, also for rows as objects. */
export function rowsOfEach(result: readonly Row[][], count: number): readonly Row[][] {
  if (Array.isArray(result) && result.length === count && result.every(areRows)) return result;
  throw wrong("read", "a list of rows of values for each statement");
}

/** A chunk of a stream. */
export function chunkOf(chunk: readonly Row[]): readonly Row[] {
  if (areRows(chunk)) return chunk;
  throw wrong("stream", "a list of rows of values");
}

/** A look at the first row is enough: a dialect makes all of them in the same way. */
function areRows(rows: unknown): boolean {
  return Array.isArray(rows) && (rows.length === 0 || (Array.isArray(rows[0]) && rows[0].every(isValue)));
}

/** Not the dates of a driver, for instance. */
function isValue(cell: unknown): boolean {
  return typeof cell === "object" ? cell === null || cell instanceof Uint8Array : cell !== undefined;
}

/** Throws a TypeError that names the table with a mistake: it would be found by requests only. */
export function catalogOf(catalog: Catalog): Catalog {
  if (!Array.isArray(catalog?.tables) || !Array.isArray(catalog.omitted)) {
    throw wrong("catalog", "lists of tables and of those left out");
  }
  for (const { name, columns, primaryKey, uniqueKeys, foreignKeys } of catalog.tables) {
    if (![columns, primaryKey, uniqueKeys, foreignKeys].every((list) => Array.isArray(list))) {
      throw wrong(
        "catalog",
        `columns, primaryKey, uniqueKeys and foreignKeys of table ${quote(String(name))}`,
      );
    }
    const odd = columns.find(({ type }: Column) => !isValueType(type));
    if (odd) throw wrong("catalog", `a ValueType for column ${quote(odd.name)} of table ${quote(name)}`);
  }
  return catalog;
}

/** Throws a TypeError unless `columns` is a list or absent. */
export function descriptionOf(description: StatementDescription): StatementDescription {
  const isRight = isObject(description) &&
    (description.columns === undefined || Array.isArray(description.columns));
  if (isRight) return description;
  throw wrong("describe", "a description");
}

/** Throws a TypeError also where the rows are objects or `changes` is no number. */
export function outcomeOf(outcome: Outcome): Outcome {
  if (isObject(outcome) && areRows(outcome.rows) && typeof outcome.changes === "number") return outcome;
  throw wrong("run", "an outcome with rows of values and changes");
}

/** The end of a commit. Throws a TypeError for anything but a promise: the commit may not be done. */
export function promiseOf(work: Promise<void>): Promise<void> {
  if (typeof work?.then === "function") return work;
  throw wrong("commit", "a promise");
}

/** The kind of an error. Undefined also for a dialect that fails to tell it: the error itself is logged. */
export function failureOf(database: Database, error: unknown): Failure | undefined {
  try {
    const failure = database.classify(error);
    return typeof failure === "string" ? failure : undefined;
  } catch {
    // The failure that was to be classified is logged by the caller, with the name of the dialect.
    return undefined;
  }
}

/** Notes a mistake of a dialect that costs a part of an answer only. */
type Note = (mistake: unknown) => void;

/** Failures whose causes are the caller's: only their messages are told. */
const TOLD: ReadonlySet<unknown> = new Set<Failure>(["integrity", "invalid"]);

/** The database's message for the caller; there is one even if the dialect gives none. */
export function messageOf(database: Database, error: unknown, note: Note): string {
  if (!TOLD.has(failureOf(database, error))) return UNTOLD;
  try {
    const message: unknown = database.explain(error);
    if (typeof message === "string") return message;
    note(wrong("explain", "a text"));
  } catch (mistake) {
    note(mistake);
  }
  return "The database gives no reason";
}

/** Undefined also for a dialect that fails at it: a message needs no place. */
export function indexFrom(
  database: Database,
  member: "place" | "refusedParameter",
  error: unknown,
  note: Note,
): number | undefined {
  try {
    const index = database[member]?.(error);
    if (index === undefined || Number.isInteger(index)) return index;
    note(wrong(member, "an index"));
  } catch (mistake) {
    note(mistake);
  }
  return undefined;
}

/** Throws a TypeError for anything but a list of texts. */
export function planOf(plan: readonly string[]): readonly string[] {
  if (Array.isArray(plan) && plan.every((line) => typeof line === "string")) return plan;
  throw wrong("plan", "a list of lines");
}

/** Undefined for anything else: the numbers of other databases are shown. */
export function usageOf(database: Database): DatabaseUsage | undefined {
  try {
    const usage = database.usage?.();
    const numbers = isObject(usage) ? [usage.open, usage.idle, usage.waiting] : [];
    return numbers.length > 0 && numbers.every((each) => Number.isFinite(each)) ? usage : undefined;
  } catch {
    return undefined;
  }
}

function wrong(member: string, wanted: string): TypeError {
  return new TypeError(`${member}() gave something else than ${wanted}`);
}
