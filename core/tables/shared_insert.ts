/**
 * Inserts new records of several requests with one statement, and one commit.
 *
 * @module
 */

import { requestScope } from "@/core/base/tracing.ts";
import { WeightedCache } from "@/core/base/weighted_cache.ts";
import { explainFailure } from "@/core/database/explain_failure.ts";
import { PendingTransaction } from "@/core/database/pending_transaction.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Table } from "@/core/schema/table.ts";
import { bindEach } from "@/core/sql/statement.ts";
import type { Database, Failure, Outcome } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import type { ShapePlace } from "./answer_shape.ts";
import { batchSize, createdPaths, valuesOf } from "./insert.ts";
import type { InsertPlan } from "./plan_write.ts";
import { type SharedStatements, StatementQueue } from "./statement_queue.ts";
import type { Assignments } from "./validate_body.ts";

/** The one record of a request. */
interface SingleInsert<T> {
  readonly plan: InsertPlan;
  readonly record: Assignments;
  readonly requestId: string | undefined;
  /** Inserts it with a statement of its own. */
  insertAlone(): Promise<T>;
  /** The result for the path of the record, which was inserted with others. */
  created(path: string | null): T;
}

/** Records in one statement. */
const MOST = 32;
/** Failures after which the records may be there all the same. */
const UNKNOWN: ReadonlySet<Failure> = new Set(["timeout", "unavailable"]);

/** Whether the record of a request may be inserted with others. With replicas, a write notes its caller. */
export function mayShare({ table, managed, parent, filtered }: InsertPlan): boolean {
  return table.joinsInserts === true && managed.definition.replicas.length === 0 && parent === undefined &&
    filtered.size === 0;
}

/** Inserts the record, with others that come at the same time. One that the database refuses fails alone. */
export function insertShared<T>(single: SingleInsert<T>): Promise<T> {
  const queue = queueFor(single);
  if (queue.isPaused) return single.insertAlone();
  const within = requestScope();
  return new Promise((resolve, reject) => {
    queue.add({
      single,
      resolve: (path) => resolve(single.created(path)),
      reject,
      insertAlone: () => within(() => single.insertAlone()).then(resolve, reject),
      within,
    });
  });
}

const queues = new WeakMap<Database, WeightedCache<StatementQueue<Waiting>>>();

function queueFor({ plan, record }: SingleInsert<unknown>): StatementQueue<Waiting> {
  const known = queues.getOrInsertComputed(plan.database, () => new WeightedCache());
  const positions = [...record.keys()];
  const key = `${plan.table.name} ${positions.join()}`;
  let queue = known.get(key);
  if (!queue) known.set(key, queue = new StatementQueue(new Records(plan, positions)), 0);
  return queue;
}

interface Waiting {
  readonly single: SingleInsert<unknown>;
  resolve(path: string | null): void;
  reject(reason: unknown): void;
  /** Resolves when it has been inserted with a statement of its own, or refused. */
  insertAlone(): Promise<void>;
  /** Runs work as a part of this request. */
  within<T>(work: () => T): T;
}

/** The new records of one table with the same columns. */
class Records implements SharedStatements<Waiting> {
  readonly #table: Table;
  readonly #positions: readonly number[];
  readonly #most: number;

  constructor({ table, database }: InsertPlan, positions: readonly number[]) {
    this.#table = table;
    this.#positions = positions;
    this.#most = Math.min(MOST, batchSize(table, positions, database.sql));
  }

  /** A power of two, so that few texts are prepared. */
  size(waiting: number): number {
    return 2 ** Math.floor(Math.log2(Math.min(this.#most, waiting)));
  }

  /** Where the database refuses one of several records, each half of them is tried. */
  async run(waiting: readonly Waiting[]): Promise<void> {
    const [first, ...others] = waiting;
    if (!first) return;
    const next = others.length > 0 ? await this.#insertTogether(first, waiting) : "each alone";
    if (next === "each alone") await Promise.all(waiting.map((each) => each.insertAlone()));
    if (next !== "each half") return;
    const middle = waiting.length / 2;
    await this.run(waiting.slice(0, middle));
    await this.run(waiting.slice(middle));
  }

  /** Returns how to go on if the database has inserted none of the records; undefined once all have ended. */
  async #insertTogether(
    first: Waiting,
    waiting: readonly Waiting[],
  ): Promise<"each alone" | "each half" | undefined> {
    const records = waiting.map(({ single }) => single.record);
    try {
      giveResults(waiting, records, await first.within(() => this.#write(records, first.single)));
    } catch (error) {
      const failure = error instanceof ServiceError ? undefined : first.single.plan.database.classify(error);
      // Each half would wait for the same lock, or for the same slow record.
      if (failure === "contention" || isOwnTimeout(error, failure)) return "each alone";
      if (failure !== undefined && !UNKNOWN.has(failure)) return "each half";
      for (const { single, reject } of waiting) reject(explainFailure(error, single.plan));
    }
    return undefined;
  }

  async #write(
    records: readonly Assignments[],
    { plan, requestId }: SingleInsert<unknown>,
  ): Promise<Outcome> {
    const { connection: { writes }, database } = plan;
    const statement = writes.insert(this.#table, this.#positions, records.length);
    const values = valuesOf(plan, records, this.#positions);
    const parameters = bindEach(statement.slots, (slot) => values[slot]);
    await using transaction = new PendingTransaction(database, { signal: NEVER, requestId });
    return await transaction.finish(statement, parameters, {});
  }
}

/** Whether the server has ended the statement, and undone it. That of the service may have been too late. */
function isOwnTimeout(error: unknown, failure: Failure | undefined): boolean {
  return failure === "timeout" && !(error instanceof DatabaseFailure);
}

function giveResults(waiting: readonly Waiting[], records: readonly Assignments[], outcome: Outcome): void {
  let place: ShapePlace | undefined;
  let paths: readonly (string | null)[] = [];
  for (const [at, { single: { plan }, resolve }] of waiting.entries()) {
    if (plan.place !== place) paths = createdPaths(plan, records, outcome);
    place = plan.place;
    resolve(paths[at] ?? null);
  }
}
