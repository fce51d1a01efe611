/**
 * One transaction that writes. It has a session for itself until it ends.
 *
 * After a failure it is rolled back at once and the session given back, so that nobody waits for a caller who has failed.
 *
 * @module
 */

import type { Outcome, Row, StatementText, Transaction } from "@/plugins/contract.ts";
import { hasEnded, hasFailed, Sequence } from "@/plugins/kit/transaction_order.ts";
import { MssqlFailure } from "./failures.ts";
import type { Bounds } from "./running.ts";
import type { Session } from "./session.ts";
import { requireReading } from "./reading.ts";
import { resultColumnOf } from "./result_columns.ts";
import { MssqlStatement } from "./statement.ts";

/** What a transaction needs to run and to be ended. */
export interface TransactionOptions {
  /** A session that has begun the transaction. */
  readonly session: Session;
  /** Ends the transaction at any time before its commit. */
  readonly signal: AbortSignal;
  /** Milliseconds until the commit, statements and pauses together, and again for the commit itself. Zero: no limit. */
  readonly limit: number;
  /** What would write is refused, as far as its words tell. */
  readonly readOnly: boolean;
  /** Gives the session back. */
  release(): void;
}

/** A commit or a rollback that has begun is not given up. */
const NEVER: AbortSignal = new AbortController().signal;
/** Milliseconds for a rollback; after that the connection is closed, which rolls back as well. */
const ROLLBACK_LIMIT = 5000;

/** Its statements run one after another. After a failure it can only be rolled back. */
export class MssqlTransaction implements Transaction {
  readonly #options: TransactionOptions;
  readonly #sequence = new Sequence();
  readonly #overdue = new AbortController();
  /** The caller's, or the time is up. */
  readonly #signal: AbortSignal;
  readonly #onAbort = () => void this.#sequence.run(() => this.#lose());
  #state: "open" | "failed" | "ended" = "open";
  /** A procedure may have set something for its session, or hold a lock. */
  #leavesTraces = false;
  /** Why it failed while nobody was waiting for it. */
  #lost: { readonly reason: unknown } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Set while a statement runs that leaves a mark on the session when it fails. */
  #remedy: string | undefined;

  constructor(options: TransactionOptions) {
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#overdue.signal]);
    this.#signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#limit();
    if (this.#signal.aborted) this.#onAbort();
  }

  run(text: StatementText, parameters: readonly unknown[]): Promise<Outcome> {
    const statement = new MssqlStatement(text);
    if (statement.isWritten && statement.effect !== "reads") this.#leavesTraces = true;
    return this.#sequence.run(() =>
      this.#attempt(async () => {
        if (this.#options.readOnly) requireReading(statement);
        this.#remedy = statement.remedy;
        const rows: Row[] = [];
        const bounds = { signal: this.#signal, limit: 0, overdue: tooLong };
        const running = this.#options.session.start(
          statement.command(parameters),
          bounds,
          (cells) => rows.push(statement.decode(cells)),
        );
        const changes = await running.finished;
        this.#remedy = undefined;
        return {
          changes,
          rows,
          ...(statement.isWritten ? { columns: running.columns.map(resultColumnOf) } : {}),
        };
      })
    );
  }

  commit(): Promise<void> {
    return this.#sequence.run(async () => {
      await this.#attempt(() => {
        this.#stopWatching();
        return this.#options.session.commit(this.#unstoppable(this.#options.limit));
      });
      this.#leave("ended");
    });
  }

  rollback(): Promise<void> {
    return this.#sequence.run(async () => {
      if (this.#state === "ended") throw hasEnded();
      await this.#rollBack();
      this.#state = "ended";
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#sequence.run(async () => {
      await this.#rollBack();
      this.#state = "ended";
    });
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    this.#requireOpen();
    try {
      return await work();
    } catch (error) {
      if (this.#signal.aborted) this.#lost ??= { reason: this.#signal.reason };
      await this.#rollBack();
      throw error;
    }
  }

  #requireOpen(): void {
    if (this.#state === "ended") throw hasEnded();
    if (this.#lost) throw this.#lost.reason;
    if (this.#state !== "open") throw hasFailed();
  }

  async #rollBack(): Promise<void> {
    if (this.#state !== "open") return;
    const { session } = this.#options;
    try {
      if (session.isOpen) await session.rollback(this.#unstoppable(ROLLBACK_LIMIT), this.#remedy);
    } catch {
      // Whatever keeps the server from rolling back: it does so when the connection ends.
      session.close();
    }
    this.#leave("failed");
  }

  async #lose(): Promise<void> {
    if (this.#state !== "open") return;
    this.#lost ??= { reason: this.#signal.reason };
    await this.#rollBack();
  }

  /** A transaction that is forgotten, or never comes to its end, would keep its locks. */
  #limit(): void {
    const { limit } = this.#options;
    if (limit > 0) this.#timer = setTimeout(() => this.#overdue.abort(tooLong()), limit);
  }

  #stopWatching(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#onAbort);
  }

  #leave(state: "failed" | "ended"): void {
    if (this.#state !== "open") return;
    this.#state = state;
    this.#stopWatching();
    if (this.#leavesTraces) this.#options.session.close();
    this.#options.release();
  }

  #unstoppable(limit: number): Bounds {
    return { signal: NEVER, limit, overdue: tooLong };
  }
}

function tooLong(): Error {
  return new MssqlFailure("timeout", "The transaction took too long");
}
