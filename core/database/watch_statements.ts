/**
 * Watches the statements of one database: their number and duration for `/metrics`, slow ones for the log.
 *
 * @module
 */

import { blame } from "@/core/base/plugin_failures.ts";
import { trace } from "@/core/base/tracing.ts";
import { quote } from "@/core/errors.ts";
import type {
  BeginOptions,
  Catalog,
  Database,
  DatabaseUsage,
  Failure,
  Log,
  Login,
  Prepared,
  ReadOptions,
  Row,
  Run,
  SqlTraits,
  StatementDescription,
  StatementText,
  StreamOptions,
  Transaction,
  WrittenStatement,
} from "@/plugins/contract.ts";
import {
  chunkOf,
  databaseOf,
  descriptionOf,
  failureOf,
  messageOf,
  placeOf,
  planOf,
  preparedOf,
  rowsOfEach,
  transactionOf,
  usageOf,
} from "./check_results.ts";
import type { LateResults } from "./late_results.ts";
import { WatchedTransaction } from "./watch_transaction.ts";

/** The statements of one managed database, under all logins. */
export class Statements {
  /** Finished reads, streams, and statements that write. */
  count = 0;
  /** Their time in all, in seconds. */
  seconds = 0;
  /** Streams that are being read. */
  streams = 0;
  /** Transactions that may have changed something. */
  commits = 0;
  readonly #subject: string;
  readonly #log: Log;
  readonly #slow: number;

  /** `slow`: milliseconds from which a statement is logged; Infinity for none. */
  constructor(subject: string, log: Log, slow: number) {
    this.#subject = subject;
    this.#log = log;
    this.#slow = slow;
  }

  /** Notes the end of work that began at `began`. The text has placeholders instead of values. */
  end(began: number, requestId: string | undefined, textOf: () => string): void {
    const milliseconds = performance.now() - began;
    this.count++;
    this.seconds += milliseconds / 1000;
    trace("statement", began, () => ({ "db.query.text": shortened(textOf()) }));
    if (milliseconds < this.#slow) return;
    const id = requestId === undefined ? "" : ` (${requestId})`;
    const text = shortened(textOf());
    this.#log.warn(`${this.#subject}: a statement took ${Math.round(milliseconds)} ms${id}: ${text}`);
  }

  /** A mistake of the dialect that costs a part of an answer only. */
  note(where: string, mistake: unknown): void {
    this.#log.error(`${this.#subject}: ${where}`, mistake);
  }
}

function shortened(text: string): string {
  return text.replace(/\s+/g, " ").slice(0, 1000);
}

/** The statement of each prepared one. */
const texts = new WeakMap<object, StatementText>();

function textOf(runs: readonly Run[]): string {
  return runs.map(({ prepared }) => texts.get(prepared)?.sql ?? "a statement").join("; ");
}

/** The number of statements that have a time limit each; Infinity if one is a saved query, which has none. */
function limitsOf(runs: readonly Run[]): number {
  const isLimited = runs.every(({ prepared }) => texts.get(prepared)?.verb === undefined);
  return isLimited ? runs.length : Infinity;
}

/** Who watches a database. */
export interface Watch {
  readonly statements: Statements;
  readonly late: LateResults;
  /** The name of its dialect, for failures. */
  readonly dialect: string;
}

/** The database, with its statements watched. */
export function watched(database: Database, watch: Watch): Database {
  return new WatchedDatabase(database, watch);
}

class WatchedDatabase implements Database {
  readonly sql: SqlTraits;
  readonly takesLooks: boolean;
  readonly as?: (login: Login) => Database;
  readonly write?: NonNullable<Database["write"]>;
  readonly plan?: NonNullable<Database["plan"]>;
  readonly #inner: Database;
  readonly #watch: Watch;
  readonly #statements: Statements;

  constructor(inner: Database, watch: Watch) {
    const { statements, late } = watch;
    this.#watch = watch;
    this.sql = inner.sql;
    this.takesLooks = inner.takesLooks ?? false;
    this.#inner = inner;
    this.#statements = statements;
    const { as, write, plan } = inner;
    if (as) {
      this.as = (login) => {
        try {
          return new WatchedDatabase(databaseOf(as.call(inner, login)), watch);
        } catch (error) {
          throw blame(error, `dialect ${quote(watch.dialect)} failed in as()`);
        }
      };
    }
    if (write) {
      this.write = (one, options) => {
        const end = this.#start(options, () => one.statement.sql);
        const work = write.call(inner, one, options);
        work?.then(() => {
          statements.commits++;
          end();
        }, end);
        return work && late.wait(work, { member: "write", options, statements: 1 });
      };
    }
    if (plan) {
      this.plan = async (statement, values) => {
        const asked = Promise.resolve(plan.call(inner, statement, values));
        return planOf(await late.wait(asked, { member: "plan", options: {}, statements: 1 }));
      };
    }
  }

  catalog(): Promise<Catalog> {
    return this.#inner.catalog();
  }

  check(): Promise<"ok" | "changed" | "gone"> {
    return this.#inner.check();
  }

  usage(): DatabaseUsage | undefined {
    return usageOf(this.#inner);
  }

  prepare(statement: StatementText): Prepared {
    try {
      const prepared = preparedOf(this.#inner.prepare(statement));
      texts.set(prepared, statement);
      return prepared;
    } catch (error) {
      throw blame(error, `dialect ${quote(this.#watch.dialect)} failed in prepare()`);
    }
  }

  async describe(statement: WrittenStatement): Promise<StatementDescription> {
    const asked = Promise.resolve(this.#inner.describe(statement));
    const owed = { member: "describe", options: {}, statements: 1 } as const;
    return descriptionOf(await this.#watch.late.wait(asked, owed));
  }

  read(runs: readonly Run[], options: ReadOptions): readonly Row[][] | Promise<readonly Row[][]> {
    const end = this.#start(options, () => textOf(runs));
    const result = this.#inner.read(runs, options);
    if (result instanceof Promise) {
      const owed = { member: "read", options, statements: limitsOf(runs) } as const;
      return this.#watch.late.wait(result, owed).finally(end).then((rows) => rowsOfEach(rows, runs.length));
    }
    end();
    return rowsOfEach(result, runs.length);
  }

  async *stream(run: Run, options: StreamOptions): AsyncGenerator<readonly Row[]> {
    this.#statements.streams++;
    let isFirst = true;
    const end = this.#start(options, () => textOf([run]));
    try {
      for await (const rows of this.#inner.stream(run, options)) {
        // Later chunks come at the pace of the client.
        if (isFirst) end();
        isFirst = false;
        yield chunkOf(rows);
      }
    } finally {
      if (isFirst) end();
      this.#statements.streams--;
    }
  }

  async begin(options: BeginOptions): Promise<Transaction> {
    const { late } = this.#watch;
    const begun = Promise.resolve(this.#inner.begin(options));
    const end = (transaction: Transaction) => transaction[Symbol.asyncDispose]();
    const transaction = await late.wait(begun, { member: "begin", options, statements: 1, end });
    return new WatchedTransaction(transactionOf(transaction), {
      options,
      late,
      began: (statement) => this.#start(options, () => statement.sql),
      committed: () => this.#statements.commits++,
    });
  }

  classify(error: unknown): Failure | undefined {
    return failureOf(this.#inner, error);
  }

  explain(error: unknown): string {
    return messageOf(this.#inner, error, (mistake) => this.#note("explain", mistake));
  }

  place(error: unknown): number | undefined {
    return placeOf(this.#inner, error, (mistake) => this.#note("place", mistake));
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    this.#watch.late.stop();
    return this.#inner[Symbol.asyncDispose]();
  }

  #note(member: "explain" | "place", mistake: unknown): void {
    this.#statements.note(`dialect ${quote(this.#watch.dialect)} failed in ${member}()`, mistake);
  }

  #start({ requestId }: Pick<ReadOptions, "requestId">, textOf: () => string): () => void {
    const began = performance.now();
    return () => this.#statements.end(began, requestId, textOf);
  }
}
