/**
 * One transaction that writes, as the service sees it. It has the writer for itself until it ends.
 *
 * The worker rolls back by itself whatever fails, so a transaction that has failed gives the writer back at once.
 *
 * @module
 */

import type { Outcome, Row, StatementText, Transaction } from "@/plugins/contract.ts";
import { bounded } from "@/plugins/kit/bounded.ts";
import { hasEnded, hasFailed, Sequence } from "@/plugins/kit/transaction_order.ts";
import { isReadOnly, readOnly, SqliteFailure } from "./failures.ts";
import type { Lane } from "./lane.ts";
import type { WorkerPool } from "./pool.ts";
import { pack, type Request } from "./protocol.ts";
import { boundsOf } from "./worker_reads.ts";

/** What a transaction needs to run and to be ended. */
export interface TransactionOptions {
  /** A worker that has begun the transaction. */
  readonly lane: Lane;
  readonly pool: WorkerPool;
  /** Ends the transaction at any time before its commit. */
  readonly signal: AbortSignal;
  /** Seconds until the commit, statements and pauses together, and again for the commit itself. Zero: no limit. */
  readonly statementTimeout: number;
  /** Told the number of rows that were changed, once they are committed. */
  onCommit(changes: number): void;
}

/** A commit or a rollback that has begun is not given up. */
const NEVER: AbortSignal = new AbortController().signal;

/** Its statements run one after another. After a failure it can only be rolled back. */
export class SqliteTransaction implements Transaction {
  readonly #options: TransactionOptions;
  readonly #sequence = new Sequence();
  readonly #overdue = new AbortController();
  /** The caller's, or the time is up. */
  readonly #signal: AbortSignal;
  readonly #onAbort = () => this.#lose(this.#signal.reason);
  #state: "open" | "failed" | "ended" = "open";
  /** Why it failed while nobody was waiting for it. */
  #lost: { readonly reason: unknown } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #changes = 0;

  constructor(options: TransactionOptions) {
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#overdue.signal]);
    this.#signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#limit();
    if (this.#signal.aborted) this.#onAbort();
  }

  run({ sql, columns }: StatementText, parameters: readonly unknown[]): Promise<Outcome> {
    return this.#sequence.run(async () => {
      this.#requireOpen();
      const run = { sql, columns, parameters: parameters.map(pack) };
      const outcome = await this.#attempt({ kind: "run", run }, this.#signal);
      this.#changes += outcome.changes;
      return outcome;
    });
  }

  commit(): Promise<void> {
    return this.#sequence.run(async () => {
      this.#requireOpen();
      this.#stopWatching();
      await this.#attempt({ kind: "commit" }, NEVER);
      this.#leave("ended");
      this.#options.onCommit(this.#changes);
    });
  }

  rollback(): Promise<void> {
    return this.#sequence.run(async () => {
      if (this.#state === "ended") throw hasEnded();
      await this.#rollBack();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#sequence.run(() => this.#rollBack());
  }

  async #rollBack(): Promise<void> {
    this.#stopWatching();
    if (this.#state === "open") {
      // A worker that cannot do even this is ended, and that rolls back as well.
      await this.#ask({ kind: "rollback" }, NEVER).catch(() =>
        this.#options.pool.discard(this.#options.lane)
      );
      this.#leave("ended");
    }
    this.#state = "ended";
  }

  async #attempt(request: Request, signal: AbortSignal): Promise<Outcome> {
    try {
      return await this.#ask(request, signal);
    } catch (error) {
      this.#leave("failed");
      // SQLite begins to write a file that it may only read, and notices at the first statement.
      throw isReadOnly(error) ? readOnly(error) : error;
    }
  }

  #ask(request: Request, signal: AbortSignal): Promise<Outcome> {
    const { pool, lane, statementTimeout } = this.#options;
    return bounded(collect(lane, request), boundsOf(pool, lane, { signal, statementTimeout }));
  }

  #requireOpen(): void {
    if (this.#state === "ended") throw hasEnded();
    if (this.#lost) throw this.#lost.reason;
    if (this.#state !== "open") throw hasFailed();
  }

  /** A transaction that is forgotten, or never comes to its end, would keep everybody else from writing. */
  #limit(): void {
    const { statementTimeout } = this.#options;
    if (statementTimeout <= 0) return;
    const reason = new SqliteFailure(
      "timeout",
      `The transaction took longer than ${statementTimeout} seconds`,
    );
    this.#timer = setTimeout(() => this.#overdue.abort(reason), statementTimeout * 1000);
  }

  #stopWatching(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#onAbort);
  }

  /** Ends the worker, and with it the transaction. */
  #lose(reason: unknown): void {
    if (this.#state !== "open") return;
    this.#lost = { reason };
    this.#options.pool.discard(this.#options.lane);
    this.#leave("failed");
  }

  #leave(state: "failed" | "ended"): void {
    if (this.#state !== "open") return;
    this.#state = state;
    this.#stopWatching();
    this.#options.pool.release(this.#options.lane);
  }
}

async function collect(lane: Lane, request: Request): Promise<Outcome> {
  const rows: Row[] = [];
  for (let answer = await lane.ask(request);; answer = await lane.next()) {
    if (answer.kind === "rows") { for (const row of answer.rows) rows.push(row); }
    else return { rows, changes: answer.kind === "ran" ? answer.changes : 0 };
  }
}
