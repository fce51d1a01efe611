/**
 * Reads the records of several requests by their keys with one statement.
 *
 * @module
 */

import type { Eventual } from "@/core/base/eventual.ts";
import type { Row } from "@/core/model.ts";
import type { Failure } from "@/plugins/contract.ts";
import { NEVER } from "@/plugins/kit/bounded.ts";
import type { KeyedRows } from "./compile_read.ts";
import type { ReadPlan } from "./plan_read.ts";
import { held } from "./read_statements.ts";
import { type SharedStatements, StatementQueue } from "./statement_queue.ts";

/** Keys in one statement. */
const MOST = 32;
/** Keys that a cell shows as they are bound. */
const PLAIN = /^[1-9]\d{0,14}$/;
/** Failures that one key among others does not cause. */
const OF_ALL: ReadonlySet<Failure> = new Set(["timeout", "unavailable"]);

/** The rows of each statement of a read. */
type Results = readonly (readonly Row[])[];

/** A request that waits for its record. */
interface Waiting {
  readonly plan: ReadPlan;
  readonly requestId: string | undefined;
  resolve(results: Results): void;
  reject(reason: unknown): void;
  /** Resolves when it has been read with a statement of its own, or refused. */
  readAlone(): Promise<void>;
}

const queues = new WeakMap<KeyedRows, StatementQueue<Waiting>>();

/** The record of a plan, read with others that are asked for at the same time, or by `readAlone`. */
export function readShared(
  plan: ReadPlan,
  requestId: string | undefined,
  readAlone: () => Eventual<Results>,
): Eventual<Results> {
  const { compiled: { keyed }, values: [key] } = plan;
  if (!keyed || !PLAIN.test(String(key))) return readAlone();
  let queue = queues.get(keyed);
  if (!queue) queues.set(keyed, queue = new StatementQueue(new Records(keyed)));
  if (queue.isPaused) return readAlone();
  const { promise, resolve, reject } = Promise.withResolvers<Results>();
  const alone = () => Promise.try(readAlone).then(resolve, reject);
  queue.add({ plan, requestId, resolve, reject, readAlone: alone });
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

  /** Each request reads alone if the database refuses their keys: one may be beyond the column's type. */
  async run(requests: readonly Waiting[]): Promise<void> {
    const [first, ...others] = requests;
    if (!first) return;
    if (others.length === 0) return await first.readAlone();
    try {
      this.#give(await this.#read(first, requests), requests);
    } catch (error) {
      const failure = first.plan.database.classify(error);
      if (failure === undefined || !OF_ALL.has(failure)) {
        await Promise.all(requests.map((each) => each.readAlone()));
      } else {
        for (const { reject } of requests) reject(error);
      }
    }
  }

  /** The number of keys is a power of two, so that few texts are prepared: the last key fills the rest. */
  async #read({ plan, requestId }: Waiting, requests: readonly Waiting[]): Promise<readonly Row[]> {
    const keys = requests.map(({ plan: { values: [key] } }) => key);
    const { prepared, slots } = this.#keyed.statement(2 ** Math.ceil(Math.log2(keys.length)));
    const parameters = slots.map((slot) => keys[slot] ?? keys.at(-1));
    const [rows = []] = await plan.database.read([{ prepared, parameters }], { signal: NEVER, requestId });
    return rows;
  }

  #give(rows: readonly Row[], requests: readonly Waiting[]): void {
    const found = new Map<string, Row[]>(requests.map((request) => [keyOf(request), []]));
    for (const row of rows) {
      const given = found.get(String(row[this.#keyed.cell]));
      if (!given) throw new Error("The database has returned a record that nobody has asked for");
      given.push(row);
    }
    for (const request of requests) request.resolve([found.get(keyOf(request)) ?? []]);
  }
}

function keyOf({ plan: { values: [key] } }: Waiting): string {
  return String(key);
}
