/**
 * A transaction that writes: the states, limits and order of calls that all engines share.
 *
 * @module
 */

import type { Outcome, StatementText, Transaction } from "@/plugins/contract.ts";
import { milliseconds } from "./bounded.ts";
import { DatabaseFailure } from "./database_failure.ts";

/**
 * The operations of one engine, on a connection of one caller. {@link
 * WriteTransaction} calls them one after another.
 */
export interface TransactionPort {
  /** Rejects with the signal's reason when it is aborted. */
  run(statement: StatementText, parameters: readonly unknown[], signal: AbortSignal): Promise<Outcome>;
  commit(): Promise<void>;
  /** Called once, also after each failure. Rejects when the connection can no longer be used. */
  rollback(): Promise<void>;
  /** Gives the connection back. The engine closes a broken one, which rolls back as well. */
  release(isBroken: boolean): void;
}

interface TransactionLimits {
  /** Ends the transaction at any time before its commit. */
  readonly signal: AbortSignal;
  /** Seconds from the beginning to the commit, pauses included. Zero: no limit. */
  readonly seconds: number;
}

/**
 * Runs statements in the order of the calls. A failure, an abort and the end of the time roll back at once:
 * the connection and its locks are free before the caller has noticed.
 */
export class WriteTransaction implements Transaction {
  readonly #port: TransactionPort;
  readonly #overdue = new AbortController();
  readonly #signal: AbortSignal;
  readonly #onAbort = () => void this.#next(() => this.#end("failed"));
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #state: "open" | "failed" | "ended" = "open";
  #last: Promise<unknown> = Promise.resolve();

  constructor(port: TransactionPort, { signal, seconds }: TransactionLimits) {
    this.#port = port;
    this.#signal = AbortSignal.any([signal, this.#overdue.signal]);
    this.#signal.addEventListener("abort", this.#onAbort, { once: true });
    if (seconds > 0) {
      this.#timer = setTimeout(() => this.#overdue.abort(transactionOverdue(seconds)), milliseconds(seconds));
    }
    if (this.#signal.aborted) this.#onAbort();
  }

  run(statement: StatementText, parameters: readonly unknown[]): Promise<Outcome> {
    return this.#attempt(() => this.#port.run(statement, parameters, this.#signal));
  }

  commit(): Promise<void> {
    return this.#attempt(async () => {
      this.#stopWatching();
      await this.#port.commit();
      this.#state = "ended";
      this.#port.release(false);
    });
  }

  rollback(): Promise<void> {
    return this.#next(async () => {
      if (this.#state === "ended") throw alreadyEnded();
      await this.#end("ended");
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#next(() => this.#end("ended"));
  }

  #attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#next(async () => {
      this.#requireOpen();
      try {
        return await work();
      } catch (error) {
        await this.#end("failed");
        throw error;
      }
    });
  }

  /** Runs work after all earlier calls, also after failed ones. */
  #next<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }

  #requireOpen(): void {
    if (this.#state === "ended") throw alreadyEnded();
    this.#signal.throwIfAborted();
    if (this.#state === "failed") {
      throw new TypeError("A statement of the transaction has failed: it can only be rolled back");
    }
  }

  async #end(state: "failed" | "ended"): Promise<void> {
    if (this.#state === "ended") return;
    const wasOpen = this.#state === "open";
    this.#state = state;
    if (!wasOpen) return;
    this.#stopWatching();
    const isBroken = await this.#port.rollback().then(() => false, () => true);
    this.#port.release(isBroken);
  }

  #stopWatching(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#onAbort);
  }
}

/** Makes the failure of a transaction, or of its commit, that takes longer than its limit. */
export function transactionOverdue(seconds: number): DatabaseFailure {
  return new DatabaseFailure("timeout", `The transaction took longer than ${seconds} seconds`);
}

/** Makes the failure of a commit, or of a write that is committed at once, whose answer is late. */
export function unknownOutcome(work: "commit" | "write"): DatabaseFailure {
  return new DatabaseFailure("timeout", `The ${work} took too long: whether it was done is not known`);
}

function alreadyEnded(): TypeError {
  return new TypeError("The transaction has ended: begin another one");
}
