/**
 * Runs the statements of a read. An asynchronous one keeps its connection open until it ends.
 *
 * @module
 */

import { type Eventual, whenThere } from "@/core/base/eventual.ts";
import { badRequest, notFound, quote, type ServiceError } from "@/core/errors.ts";
import type { Row } from "@/core/model.ts";
import { bindSlots, type RowPage } from "@/core/sql/statement.ts";
import type { ReadOptions, Run } from "@/plugins/contract.ts";
import type { KeptStatement } from "./kept_statement.ts";
import { MAX_WHOLE } from "./expand_relations.ts";
import type { ReadPlan } from "./plan_read.ts";

/** The rows of a read, all at once or as a stream; `total` is the number of all rows, if requested. */
export type Result =
  | {
    readonly kind: "rows";
    readonly rows: readonly Row[];
    /** Number of related records that were read. Absent: no relations. */
    readonly related?: number;
    readonly total?: number | undefined;
  }
  | StreamResult;

/** A stream of rows, of which the first have arrived. */
export interface StreamResult {
  readonly kind: "stream";
  readonly chunks: AsyncIterator<readonly Row[]>;
  readonly first: readonly Row[];
  readonly total: number | undefined;
}

/** A statement with the values of the request. */
export function runOf({ prepared, slots }: KeptStatement, plan: ReadPlan, page: RowPage): Run {
  return { prepared, parameters: bindSlots(slots, plan.values, page) };
}

/** The rows of each run. */
export function readNow(
  plan: ReadPlan,
  runs: readonly Run[],
  options: ReadOptions,
): Eventual<readonly Row[][]> {
  const read = plan.database.read(runs, options);
  return read instanceof Promise ? held(plan, read) : read;
}

/** Keeps the connection open until a running read has ended. */
export async function held<T>({ managed, database }: ReadPlan, read: Promise<T>): Promise<T> {
  using _lease = managed.lease(database);
  return await read;
}

/** The number of all rows, if it is requested. */
export async function totalOf(plan: ReadPlan, options: ReadOptions): Promise<number | undefined> {
  const { count } = plan.compiled;
  if (!count) return undefined;
  const [rows] = await readNow(plan, [runOf(count, plan, { limit: 0, offset: 0 })], options);
  return countOf(rows);
}

/** The number that a statement has counted. */
export function countOf(rows: readonly Row[] | undefined): number {
  return Number(rows?.[0]?.[0] ?? 0);
}

/** For an empty result: 404 for a single record, and for a list below a record that does not exist. */
export function requireSubject(plan: ReadPlan, options: ReadOptions): Eventual<void> {
  const { compiled } = plan;
  if (compiled.missing !== undefined) throw notFound(compiled.missing, { links: plan.links });
  if (!compiled.origin) return;
  return whenThere(
    readNow(plan, [runOf(compiled.origin, plan, { limit: 1, offset: 0 })], options),
    ([found = []]) => {
      if (found.length > 0) return;
      throw notFound(`Cannot find the record whose related ${quote(compiled.subject)} are asked for`);
    },
  );
}

/** The refusal of an answer that would need too many records at once. */
export function tooMany(): ServiceError {
  return badRequest(
    `Cannot put more than ${MAX_WHOLE} records into one answer of this kind: use a smaller limit`,
  );
}
