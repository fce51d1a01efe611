/**
 * Reads the records of several requests by their keys with one statement.
 *
 * @module
 */

import type { Eventual } from "@/core/base/eventual.ts";
import { requestScope } from "@/core/base/tracing.ts";
import type { Row } from "@/core/model.ts";
import { bindEach } from "@/core/sql/statement.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import type { KeyedRows } from "./kept_statement.ts";
import type { ReadPlan } from "./plan_read.ts";
import { held } from "./read_statements.ts";
import { type SharedStatements, StatementQueue } from "./statement_queue.ts";

/** Keys in a statement, one of two numbers, so that few texts are prepared: the last key fills the rest. */
const FEW = 8;
const MOST = 32;
/** Keys that a cell shows as they are bound. */
const PLAIN = /^[1-9]\d{0,14}$/;

/** The rows of each statement of a read. */
type Results = readonly (readonly Row[])[];

/** A request that waits for its record. */
interface Waiting {
  readonly plan: ReadPlan;
  readonly key: string;
  readonly requestId: string | undefined;
  /** Only the first results count. */
  resolve(results: Results): void;
  /** Reads it with a statement of its own, once. Resolves when it has been read or refused. */
  readAlone(): Promise<void>;
  /** Runs work as a part of this request. */
  within<T>(work: () => T): T;
}

const queues = new WeakMap<KeyedRows, StatementQueue<Waiting>>();

/** The rows of a plan: a record by key is read with others that are asked for at the same time. */
export function readShared(
  plan: ReadPlan,
  requestId: string | undefined,
  readAlone: () => Eventual<Results>,
): Eventual<Results> {
  const { compiled: { keyed }, values: [value] } = plan;
  if (!keyed) return readAlone();
  const key = String(value);
  const queue = queues.getOrInsertComputed(keyed, () => new StatementQueue(new Records(keyed)));
  if (!PLAIN.test(key) || queue.isPaused) return readAlone();
  const { promise, resolve, reject } = Promise.withResolvers<Results>();
  const within = requestScope();
  let own: Promise<void> | undefined;
  queue.add({
    plan,
    key,
    requestId,
    resolve,
    readAlone: () => own ??= within(() => Promise.try(readAlone)).then(resolve, reject),
    within,
  });
  return held(plan, promise);
}

/** The records of one compiled read. */
class Records implements SharedStatements<Waiting> {
  readonly #keyed: KeyedRows;

  constructor(keyed: KeyedRows) {
    this.#keyed = keyed;
  }

  size(waiting: number): number {
    return Math.min(MOST, waiting);
  }

  /** A key may be beyond the column's type, and a row of a view may fail: the others do not fail with it. */
  async run(requests: readonly Waiting[]): Promise<void> {
    const [first, ...others] = requests;
    if (!first) return;
    if (others.length === 0) return await first.readAlone();
    const left = await this.#read(first, requests).then((rows) => this.#give(rows, requests))
      .catch(() => requests);
    await readEachAlone(left);
  }

  /** One record may wait for a lock, or be large: the others do not wait with it. */
  slow(requests: readonly Waiting[]): void {
    if (requests.length > 1) void readEachAlone(requests);
  }

  async #read({ plan, requestId, within }: Waiting, requests: readonly Waiting[]): Promise<readonly Row[]> {
    const keys = requests.map(({ plan: { values: [key] } }) => key);
    const { prepared, slots } = this.#keyed.statement(keys.length > FEW ? MOST : FEW);
    const parameters = bindEach(slots, (slot) => keys[slot] ?? keys.at(-1));
    const options = { signal: NEVER, requestId };
    const [rows = []] = await within(() => plan.database.read([{ prepared, parameters }], options));
    return rows;
  }

  /** Returns the requests without a row: the database may take two spellings for one key. */
  #give(rows: readonly Row[], requests: readonly Waiting[]): readonly Waiting[] {
    const { cell, width } = this.#keyed;
    const found = Map.groupBy(rows, (row) => String(row[cell]));
    return requests.filter(({ key, resolve }) => {
      const own = found.get(key);
      if (own) resolve([own.map((row) => row.length > width ? row.slice(0, width) : row)]);
      return own === undefined;
    });
  }
}

async function readEachAlone(requests: readonly Waiting[]): Promise<void> {
  await Promise.all(requests.map((request) => request.readAlone()));
}
