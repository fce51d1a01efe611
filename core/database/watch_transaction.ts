/**
 * Guards the service against a transaction of a dialect: gives up waiting for it after a while, and checks
 * its results.
 *
 * @module
 */

import type { BeginOptions, Outcome, StatementText, Transaction } from "@/plugins/contract.ts";
import { outcomeOf, promiseOf } from "./check_results.ts";
import { LateResult, type LateResults, type Owed } from "./late_results.ts";

/** Where a transaction reports. */
interface TransactionWatch {
  readonly options: BeginOptions;
  readonly late: LateResults;
  /** Returns the function that notes the end of the statement. */
  began(statement: StatementText): () => void;
  committed(): void;
}

/** A transaction whose statements are watched. */
export class WatchedTransaction implements Transaction {
  readonly #inner: Transaction;
  readonly #watch: TransactionWatch;
  /** Statements that were begun and have not ended: each waits for those before it. */
  #running = 0;
  /** A statement was given up: the end of the transaction is not waited for. */
  #isLost = false;

  constructor(inner: Transaction, watch: TransactionWatch) {
    this.#inner = inner;
    this.#watch = watch;
  }

  async run(statement: StatementText, parameters: readonly unknown[]): Promise<Outcome> {
    const end = this.#watch.began(statement);
    this.#running++;
    try {
      const work = Promise.resolve(this.#inner.run(statement, parameters));
      return outcomeOf(await this.#wait(work, "run", this.#running));
    } finally {
      this.#running--;
      end();
    }
  }

  async commit(): Promise<void> {
    await this.#wait(promiseOf(this.#inner.commit()), "commit");
    if (this.#watch.options.readOnly !== true) this.#watch.committed();
  }

  async rollback(): Promise<void> {
    await this.#end(() => this.#inner.rollback());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end(() => this.#inner[Symbol.asyncDispose]());
  }

  /**
   * Goes on without an end that does not come: the log has it, and the caller
   * gets the failure that led to it.
   */
  async #end(work: () => PromiseLike<void>): Promise<void> {
    const ending = Promise.try(work);
    if (this.#isLost) return this.#watch.late.forget(ending);
    try {
      await this.#wait(ending, "rollback");
    } catch (error) {
      if (!(error instanceof LateResult)) throw error;
    }
  }

  async #wait<T>(work: PromiseLike<T>, member: Owed<T>["member"], statements = 1): Promise<T> {
    const { late, options } = this.#watch;
    try {
      return await late.wait(work, { member, options, statements });
    } catch (error) {
      this.#isLost ||= error instanceof LateResult;
      throw error;
    }
  }
}
