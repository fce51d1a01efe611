/**
 * One transaction that writes, as the service sees it. It has a connection for itself until it ends.
 *
 * @module
 */

import type { Outcome, ResultColumn, StatementText, Transaction } from "@/plugins/contract.ts";
import { bounded, type Bounds } from "@/plugins/kit/bounded.ts";
import { hasEnded, hasFailed, Sequence } from "@/plugins/kit/transaction_order.ts";
import { type Answer, inTime } from "./answer.ts";
import { MysqlFailure } from "./failures.ts";
import { outcomeOf } from "./outcome.ts";
import type { SessionPool } from "./pool.ts";
import { resultColumnOf } from "./result_columns.ts";
import type { Session } from "./session.ts";
import { MysqlStatement } from "./statement.ts";

/** What a transaction needs to run and to be ended. */
export interface TransactionOptions {
  /** A connection that has begun the transaction. */
  readonly session: Session;
  readonly pool: SessionPool;
  /** Ends the transaction at any time before its commit. */
  readonly signal: AbortSignal;
  /** Seconds until the commit, statements and pauses together, and again for the commit itself. Zero: no limit. */
  readonly statementTimeout: number;
  /** The distance of keys that are counted up. */
  readonly identityStep: number;
}

/** A commit or a rollback that has begun is not given up. */
const NEVER: AbortSignal = new AbortController().signal;

/** Its statements run one after another. After a failure it can only be rolled back. */
export class MysqlTransaction implements Transaction {
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
  /** A saved query has run in it. */
  #needsRenewal = false;

  constructor(options: TransactionOptions) {
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#overdue.signal]);
    this.#signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#limit();
    if (this.#signal.aborted) this.#onAbort();
  }

  run(text: StatementText, parameters: readonly unknown[]): Promise<Outcome> {
    return this.#sequence.run(async () => {
      this.#requireOpen();
      const { session, identityStep, statementTimeout } = this.#options;
      const statement = new MysqlStatement(text);
      this.#needsRenewal ||= statement.isWritten;
      const limit = { seconds: statementTimeout, expired: () => overdue(statementTimeout) };
      const answer = await this.#attempt(
        inTime(() => session.run(text.sql, parameters), limit),
        this.#signal,
      );
      const outcome = outcomeOf(statement, answer, identityStep);
      return statement.isWritten ? { ...outcome, columns: columnsOf(answer) } : outcome;
    });
  }

  commit(): Promise<void> {
    return this.#sequence.run(async () => {
      this.#requireOpen();
      this.#stopWatching();
      await this.#attempt(this.#options.session.command("COMMIT"), NEVER);
      this.#leave("ended");
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
      await this.#undo();
      this.#leave("ended");
    }
    this.#state = "ended";
  }

  /** A connection that cannot do even this is ended, and that rolls back as well. */
  async #undo(): Promise<void> {
    const { session, pool } = this.#options;
    await this.#bounded(session.command("ROLLBACK"), NEVER).catch(() => pool.discard(session));
  }

  /** What fails ends the transaction: others get its connection, without its locks, at once. */
  async #attempt<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await this.#bounded(work, signal);
    } catch (error) {
      this.#stopWatching();
      if (this.#state === "open") await this.#undo();
      this.#leave("failed");
      throw error;
    }
  }

  #bounded<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    const { session, pool, statementTimeout } = this.#options;
    const bounds: Bounds = {
      signal,
      seconds: statementTimeout,
      expired: () => overdue(statementTimeout),
      giveUp: (reason) => pool.discard(session, reason),
    };
    return bounded(work, bounds);
  }

  #requireOpen(): void {
    if (this.#state === "ended") throw hasEnded();
    if (this.#lost) throw this.#lost.reason;
    if (this.#state !== "open") throw hasFailed();
  }

  /** A transaction that is forgotten, or never comes to its end, would keep its locks and its connection. */
  #limit(): void {
    const { statementTimeout } = this.#options;
    if (statementTimeout <= 0) return;
    this.#timer = setTimeout(() => this.#overdue.abort(overdue(statementTimeout)), statementTimeout * 1000);
  }

  #stopWatching(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#onAbort);
  }

  /** Ends the connection, and with it the transaction. */
  #lose(reason: unknown): void {
    if (this.#state !== "open") return;
    this.#lost = { reason };
    this.#options.pool.discard(this.#options.session, reason);
    this.#leave("failed");
  }

  #leave(state: "failed" | "ended"): void {
    if (this.#state !== "open") return;
    this.#state = state;
    this.#stopWatching();
    const { pool, session } = this.#options;
    if (this.#needsRenewal) pool.renew(session);
    else pool.release(session);
  }
}

function columnsOf(answer: Answer): readonly ResultColumn[] {
  return "rows" in answer ? answer.fields.map(resultColumnOf) : [];
}

function overdue(seconds: number): MysqlFailure {
  return new MysqlFailure("timeout", `The transaction took longer than ${seconds} seconds`);
}
