/**
 * A transaction that writes, with a connection for itself until it ends.
 *
 * @module
 */

import type { Outcome, StatementText, Transaction } from "@/plugins/contract.ts";
import { bounded } from "@/plugins/kit/bounded.ts";
import { hasEnded, hasFailed, Sequence } from "@/plugins/kit/transaction_order.ts";
import { PostgresFailure } from "./failures.ts";
import { FORGET, releaseClean } from "./hygiene.ts";
import type { Lane } from "./lane.ts";
import type { Pool } from "./pool.ts";

/** What a transaction needs to run and to be ended. */
export interface TransactionOptions {
  readonly lane: Lane;
  readonly pool: Pool;
  /** Ends the transaction at any time before its commit. */
  readonly signal: AbortSignal;
  /** Seconds until the commit, including pauses. Zero: no limit. */
  readonly statementTimeout: number;
  /** False behind a pooler: a statement sent before the transaction has begun would be outside it. */
  readonly hasSessions: boolean;
  /** The server refuses statements that write. */
  readonly readOnly: boolean;
}

/** Seconds for a commit beyond the server's limit. */
const GRACE = 1;
const NEVER: AbortSignal = new AbortController().signal;

/** Statements run one after another. After a failure only a rollback is possible. */
export class PostgresTransaction implements Transaction {
  readonly #options: TransactionOptions;
  readonly #sequence = new Sequence();
  readonly #onAbort = () => this.#lose(this.#options.signal.reason);
  readonly #loss = Promise.withResolvers<never>();
  #state: "open" | "failed" | "ended" = "open";
  /** A saved query has run in it. */
  #isWritten = false;
  /** Why it failed between two calls. */
  #lost: { readonly reason: unknown } | undefined;
  /** Why it could not begin, noticed between two calls. */
  #unbegun: { readonly reason: unknown } | undefined;
  #undoing: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Begins on an exclusive connection, without waiting for the answer: the session is read-only, so a statement outside
   * the transaction could not write.
   */
  static async begin(options: TransactionOptions): Promise<PostgresTransaction> {
    const transaction = new PostgresTransaction(options);
    const begun = options.lane.command(options.readOnly ? "BEGIN READ ONLY" : "BEGIN READ WRITE");
    begun.catch((reason) => transaction.#unbegun = { reason });
    const attempt = transaction.#attempt(begun);
    if (options.hasSessions) attempt.catch(() => {});
    else await attempt;
    return transaction;
  }

  private constructor(options: TransactionOptions) {
    this.#options = options;
    this.#loss.promise.catch(() => {});
    options.signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#limit();
    if (options.signal.aborted) this.#onAbort();
  }

  run({ sql, verb }: StatementText, parameters: readonly unknown[]): Promise<Outcome> {
    return this.#sequence.run(() => {
      this.#requireOpen();
      this.#isWritten ||= verb !== undefined;
      return this.#attempt(this.#options.lane.run(sql, parameters, this.#options.hasSessions));
    });
  }

  commit(): Promise<void> {
    return this.#sequence.run(async () => {
      this.#requireOpen();
      this.#stopWatching();
      await this.#attempt(this.#commitInTime());
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
    if (this.#state === "open") await this.#undo();
    this.#state = "ended";
  }

  /** Runs once, by the first caller. */
  #undo(): Promise<void> {
    return this.#undoing ??= this.#undoNow();
  }

  /** A connection that cannot roll back is ended, which also rolls back. */
  async #undoNow(): Promise<void> {
    const { lane } = this.#options;
    this.#state = "failed";
    this.#stopWatching();
    await lane.command(this.#isWritten ? FORGET : "ROLLBACK").catch(() => lane.destroy());
    this.#leave("failed");
  }

  /** A commit that has begun is not cancelled; the wait for an unresponsive server is limited. */
  #commitInTime(): Promise<void> {
    const { statementTimeout, lane } = this.#options;
    return bounded(lane.command("COMMIT"), {
      signal: NEVER,
      seconds: statementTimeout > 0 ? statementTimeout + GRACE : 0,
      expired: () =>
        new PostgresFailure("timeout", "The commit took too long: whether it was done is not known"),
      giveUp: () => lane.destroy(),
    });
  }

  async #attempt<T>(work: Promise<T>): Promise<T> {
    try {
      return await Promise.race([work, this.#loss.promise]);
    } catch (error) {
      if (!this.#lost) await this.#undo();
      throw error;
    }
  }

  #requireOpen(): void {
    const failure = this.#lost ?? this.#unbegun;
    if (failure) throw failure.reason;
    if (this.#state === "ended") throw hasEnded();
    if (this.#state !== "open") throw hasFailed();
  }

  /** A forgotten or endless transaction would keep its locks. */
  #limit(): void {
    const { statementTimeout } = this.#options;
    if (statementTimeout <= 0) return;
    const reason = new PostgresFailure(
      "timeout",
      `The transaction took longer than ${statementTimeout} seconds`,
    );
    this.#timer = setTimeout(() => this.#lose(reason), statementTimeout * 1000);
  }

  #stopWatching(): void {
    clearTimeout(this.#timer);
    this.#options.signal.removeEventListener("abort", this.#onAbort);
  }

  /** Ends the connection, and with it the transaction. */
  #lose(reason: unknown): void {
    if (this.#state !== "open") return;
    this.#lost = { reason };
    this.#state = "failed";
    void this.#options.lane.abandon();
    this.#loss.reject(reason);
    this.#leave("failed");
  }

  #leave(state: "failed" | "ended"): void {
    this.#state = state;
    this.#stopWatching();
    const { pool, lane, hasSessions } = this.#options;
    if (this.#isWritten && hasSessions) releaseClean(pool, lane);
    else pool.release(lane);
  }
}
