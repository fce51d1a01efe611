/**
 * The port of a transaction that writes, in a worker. The worker itself rolls back after a failure.
 *
 * @module
 */

import type { Outcome, Row, StatementText } from "@/plugins/contract.ts";
import { bounded } from "@/plugins/kit/bounded.ts";
import type { TransactionPort } from "@/plugins/kit/write_transaction.ts";
import { isReadOnly, readOnly } from "./failures.ts";
import type { Lane, WorkerPool } from "./lane.ts";
import { pack, type Request } from "./protocol.ts";
import { boundsOf } from "./worker_reads.ts";

/** The worker of a transaction, and its limits. */
export interface TransactionOptions {
  /** A worker that has begun the transaction. */
  readonly lane: Lane;
  readonly pool: WorkerPool;
  /** Seconds for a statement, and again for the commit. Zero: no limit. */
  readonly statementTimeout: number;
  /** Called with the number of changed rows, once they are committed. */
  onCommit(changes: number): void;
}

/** Exceeding the time ends the worker, and with it the transaction. */
export class SqliteTransaction implements TransactionPort {
  readonly #options: TransactionOptions;
  #changes = 0;

  constructor(options: TransactionOptions) {
    this.#options = options;
  }

  async run(
    { sql, columns }: StatementText,
    parameters: readonly unknown[],
    signal: AbortSignal,
  ): Promise<Outcome> {
    const outcome = await this.#ask(
      { kind: "run", run: { sql, columns, parameters: parameters.map(pack) } },
      signal,
    );
    this.#changes += outcome.changes;
    return outcome;
  }

  async commit(): Promise<void> {
    await this.#ask({ kind: "commit" });
    this.#options.onCommit(this.#changes);
  }

  async rollback(): Promise<void> {
    await this.#ask({ kind: "rollback" });
  }

  release(isBroken: boolean): void {
    const { pool, lane } = this.#options;
    if (isBroken) pool.discard(lane);
    else pool.release(lane);
  }

  async #ask(request: Request, signal?: AbortSignal): Promise<Outcome> {
    const { pool, lane, statementTimeout } = this.#options;
    try {
      return await bounded(collect(lane, request), boundsOf(pool, lane, { signal, statementTimeout }));
    } catch (error) {
      // SQLite begins to write even a read-only file, and reports it at the first statement.
      throw isReadOnly(error) ? readOnly(error) : error;
    }
  }
}

async function collect(lane: Lane, request: Request): Promise<Outcome> {
  const rows: Row[] = [];
  for (let answer = await lane.ask(request);; answer = await lane.next()) {
    if (answer.kind === "rows") { for (const row of answer.rows) rows.push(row); }
    else return { rows, changes: answer.kind === "ran" ? answer.changes : 0 };
  }
}
