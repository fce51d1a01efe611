/**
 * The transaction of one write request, which begins with its first statement.
 *
 * @module
 */

import type {
  Accepted,
  Database,
  Outcome,
  ReadOptions,
  StatementText,
  Transaction,
} from "@/plugins/contract.ts";

/** Disposing of it rolls back uncommitted changes. A commit of nothing does nothing. */
export class PendingTransaction implements AsyncDisposable {
  readonly #database: Database;
  readonly #options: ReadOptions;
  #begun: Transaction | undefined;

  constructor(database: Database, options: ReadOptions) {
    this.#database = database;
    this.#options = options;
  }

  /** Runs one statement; after a failure no other one may follow. */
  async run(statement: StatementText, parameters: readonly unknown[]): Promise<Outcome> {
    this.#begun ??= await this.#database.begin(this.#options);
    return await this.#begun.run(statement, parameters);
  }

  /**
   * Runs a quick statement and commits, if it changes an accepted number of rows. The caller checks the number. A single
   * statement is a transaction of its own where the engine offers that.
   */
  async finish(
    statement: StatementText,
    parameters: readonly unknown[],
    accepted: Accepted,
  ): Promise<Outcome> {
    const alone = this.#begun
      ? undefined
      : this.#database.write?.({ statement, parameters, ...accepted }, this.#options);
    if (alone) return await alone;
    const outcome = await this.run(statement, parameters);
    if (accepts(accepted, outcome.changes)) await this.commit();
    return outcome;
  }

  async commit(): Promise<void> {
    await this.#begun?.commit();
    this.#begun = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#begun?.[Symbol.asyncDispose]();
  }
}

function accepts({ least = 0, most = Infinity }: Accepted, changes: number): boolean {
  return changes >= least && changes <= most;
}
