/**
 * The transaction of one write request, which begins with its first statement.
 *
 * @module
 */

import type {
  Accepted,
  Database,
  Look,
  Outcome,
  Prepared,
  ReadOptions,
  Row,
  StatementText,
  Transaction,
} from "@/plugins/contract.ts";

/** Others have changed the data meanwhile: the work has to be repeated in a transaction. */
export class Outdated extends Error {}

const NOTHING = Promise.resolve();

/** Statements that looks have prepared. */
const prepared = new WeakMap<Database, WeakMap<StatementText, Prepared>>();

/** Disposing of it rolls back uncommitted changes. A commit of nothing does nothing. */
export class PendingTransaction implements AsyncDisposable {
  readonly #database: Database;
  readonly #options: ReadOptions;
  readonly #serial: boolean;
  /** True if its work is repeated: no statement is a transaction of its own. */
  readonly isRepeated: boolean;
  #begun: Transaction | undefined;
  /** Undefined once there is a transaction, or always. */
  #looks: Look[] | undefined;

  /**
   * `mayLook`: reads are looks, see {@link SingleWrite.looks}; the work may fail as {@link Outdated}.
   * `serial`: see {@link BeginOptions.serial}.
   */
  constructor(
    database: Database,
    options: ReadOptions,
    { mayLook = false, serial = false, isRepeated = false } = {},
  ) {
    this.#database = database;
    this.#options = options;
    this.#serial = serial;
    this.isRepeated = isRepeated;
    if (mayLook) this.#looks = [];
  }

  /** Runs a statement that reads. The transaction depends on its rows unless it is only a glance. */
  async look(
    statement: StatementText,
    parameters: readonly unknown[],
    { isGlance = false } = {},
  ): Promise<readonly Row[]> {
    if (!this.#looks) return (await this.run(statement, parameters)).rows;
    const run = { prepared: preparedFor(this.#database, statement), parameters };
    const [rows = []] = await this.#database.read([run], this.#options);
    if (!isGlance) this.#looks.push({ statement, parameters, rows });
    return rows;
  }

  /** Runs one statement; after a failure no other one may follow. */
  async run(statement: StatementText, parameters: readonly unknown[]): Promise<Outcome> {
    if (this.#looks && this.#looks.length > 0) throw new Outdated("A look needs the transaction");
    this.#looks = undefined;
    this.#begun ??= await this.#begin();
    return await this.#begun.run(statement, parameters);
  }

  /** Most transactions take the options as they are: their signal is made when it is read. */
  #begin(): Promise<Transaction> {
    if (!this.#serial) return this.#database.begin(this.#options);
    const { signal, requestId, turn } = this.#options;
    return this.#database.begin({ signal, requestId, turn, serial: true });
  }

  /**
   * Runs a quick statement and commits, if it changes an accepted number of rows. The caller checks the
   * number. A single statement is a transaction of its own where the engine offers that.
   */
  finish(statement: StatementText, parameters: readonly unknown[], accepted: Accepted): Promise<Outcome> {
    const alone = this.#begun || this.isRepeated ? undefined : this.#database.write?.({
      statement,
      parameters,
      ...accepted,
      ...(this.#looks && { looks: this.#looks }),
    }, this.#options);
    if (!alone) return this.#runAndCommit(statement, parameters, accepted);
    return alone.then((outcome) => this.#written(outcome));
  }

  async #runAndCommit(
    statement: StatementText,
    parameters: readonly unknown[],
    accepted: Accepted,
  ): Promise<Outcome> {
    const outcome = await this.run(statement, parameters);
    const { least = 0, most = Infinity } = accepted;
    if (outcome.changes >= least && outcome.changes <= most) await this.commit();
    return outcome;
  }

  /** Later reads see the write. */
  #written(outcome: Outcome): Outcome {
    if (outcome.isOutdated) throw new Outdated("A look returns other rows now");
    if (this.#looks) this.#looks = [];
    return outcome;
  }

  /** Work without a write depends on its looks alone, and only one look is of one moment. */
  async commit(): Promise<void> {
    if (this.#looks && this.#looks.length > 1) throw new Outdated("Looks are of several moments");
    await this.#begun?.commit();
    this.#begun = undefined;
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#begun?.[Symbol.asyncDispose]() ?? NOTHING;
  }
}

function preparedFor(database: Database, statement: StatementText): Prepared {
  const statements = prepared.getOrInsertComputed(database, () => new WeakMap());
  return statements.getOrInsertComputed(statement, () => database.prepare(statement));
}
