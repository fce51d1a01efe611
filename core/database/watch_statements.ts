/**
 * Watches the statements of one connected database: measures them, gives up late ones, checks their results.
 *
 * @module
 */

import { blame } from "@/core/base/plugin_failures.ts";
import { quote } from "@/core/errors.ts";
import type {
  BeginOptions,
  Catalog,
  Database,
  DatabaseUsage,
  Failure,
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
  descriptionOf,
  failureOf,
  indexFrom,
  messageOf,
  planOf,
  rowsOfEach,
  usageOf,
} from "./check_results.ts";
import type { LateResults } from "./late_results.ts";
import type { StatementMeter } from "./statement_meter.ts";
import { WatchedTransaction } from "./watch_transaction.ts";

/** The statement of each prepared one. */
const texts = new WeakMap<object, StatementText>();

function textOf(runs: readonly Run[]): string {
  return runs.map(({ prepared }) => texts.get(prepared)?.sql ?? "a statement").join("; ");
}

interface Watch {
  readonly meter: StatementMeter;
  readonly late: LateResults;
  /** The name of its dialect, for failures. */
  readonly dialect: string;
}

/** A database whose statements are watched. */
export class WatchedDatabase implements Database {
  readonly sql: SqlTraits;
  readonly takesLooks: boolean;
  readonly as?: (login: Login) => Database;
  readonly write?: NonNullable<Database["write"]>;
  readonly plan?: NonNullable<Database["plan"]>;
  readonly #inner: Database;
  readonly #watch: Watch;

  constructor(inner: Database, watch: Watch) {
    const { meter, late } = watch;
    this.#watch = watch;
    this.sql = inner.sql;
    this.takesLooks = inner.takesLooks ?? false;
    this.#inner = inner;
    const { as, write, plan } = inner;
    if (as) {
      this.as = (login) =>
        namedIn("as", watch.dialect, () => new WatchedDatabase(as.call(inner, login), watch));
    }
    if (write) {
      this.write = (one, options) => {
        const end = this.#start(options, () => one.statement.sql);
        const work = write.call(inner, one, options)?.then((outcome) => {
          meter.commits++;
          end();
          return outcome;
        }, (error) => {
          end();
          throw error;
        });
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
    return namedIn("prepare", this.#watch.dialect, () => {
      const prepared = this.#inner.prepare(statement);
      texts.set(prepared, statement);
      return prepared;
    });
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
      const owed = { member: "read", options, statements: runs.length } as const;
      return this.#watch.late.wait(result, owed).then((rows) => {
        end();
        return rowsOfEach(rows, runs.length);
      }, (error) => {
        end();
        throw error;
      });
    }
    end();
    return rowsOfEach(result, runs.length);
  }

  async *stream(run: Run, options: StreamOptions): AsyncGenerator<readonly Row[]> {
    let isFirst = true;
    const end = this.#start(options, () => textOf([run]));
    try {
      for await (const rows of this.#inner.stream(run, options)) {
        // Later chunks come at the pace of the client.
        if (isFirst) {
          end();
          this.#watch.meter.streams++;
          isFirst = false;
        }
        yield chunkOf(rows);
      }
    } finally {
      if (isFirst) end();
      else this.#watch.meter.streams--;
    }
  }

  async begin(options: BeginOptions): Promise<Transaction> {
    const { late } = this.#watch;
    const begun = Promise.resolve(this.#inner.begin(options));
    const end = (transaction: Transaction) => transaction[Symbol.asyncDispose]();
    const transaction = await late.wait(begun, { member: "begin", options, statements: 1, end });
    return new WatchedTransaction(transaction, {
      options,
      late,
      began: (statement) => this.#start(options, () => statement.sql),
      committed: () => this.#watch.meter.commits++,
    });
  }

  classify(error: unknown): Failure | undefined {
    return failureOf(this.#inner, error);
  }

  explain(error: unknown): string {
    return messageOf(this.#inner, error, (mistake) => this.#note("explain", mistake));
  }

  place(error: unknown): number | undefined {
    return indexFrom(this.#inner, "place", error, (mistake) => this.#note("place", mistake));
  }

  refusedParameter(error: unknown): number | undefined {
    const note = (mistake: unknown) => this.#note("refusedParameter", mistake);
    return indexFrom(this.#inner, "refusedParameter", error, note);
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    this.#watch.late.stop();
    return this.#inner[Symbol.asyncDispose]();
  }

  #note(member: "explain" | "place" | "refusedParameter", mistake: unknown): void {
    this.#watch.meter.note(`dialect ${quote(this.#watch.dialect)} failed in ${member}()`, mistake);
  }

  #start({ requestId }: Pick<ReadOptions, "requestId">, textOf: () => string): () => void {
    const began = performance.now();
    return () => this.#watch.meter.end(began, requestId, textOf);
  }
}

/** Work of a dialect beside its statements, whose failure names it. */
function namedIn<T>(member: "as" | "prepare", dialect: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw blame(error, `dialect ${quote(dialect)} failed in ${member}()`);
  }
}
