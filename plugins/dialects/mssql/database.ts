/**
 * One connected database under one login.
 *
 * @module
 */

import type {
  BeginOptions,
  Catalog,
  Database,
  DatabaseDefinition,
  DialectHost,
  Login,
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
import { type Limits, NEVER } from "@/plugins/kit/bounded.ts";
import { disconnected } from "@/plugins/kit/database_failure.ts";
import { PoolBusy } from "@/plugins/kit/session_pool.ts";
import { streamTurns, type Turns } from "@/plugins/kit/turns.ts";
import { WriteTransaction } from "@/plugins/kit/write_transaction.ts";
import { readCatalog } from "./catalog.ts";
import { describeStatement } from "./describe.ts";
import { type Facts, readFingerprint } from "./facts.ts";
import { classify, explain } from "./failures.ts";
import { catalogLimits, PATIENCE, type Query, queryOn, statementLimits } from "./query.ts";
import { readAll, requireReading, statementOf } from "./reading.ts";
import { columnsByRunning } from "./result_columns.ts";
import type { MssqlPool, Session } from "./session.ts";
import { MssqlStatement } from "./statement.ts";
import { openChunks } from "./streaming.ts";
import { babelfishTraits, traits } from "./traits.ts";
import { MssqlTransaction } from "./transaction.ts";

/** The common parts of all logins of one database. */
export interface DatabaseOptions {
  readonly definition: DatabaseDefinition;
  readonly host: DialectHost;
  readonly facts: Facts;
  openPool(login: Login): MssqlPool;
}

type Work<T> = (session: Session, limits: Limits) => Promise<T>;

/** One pool of connections with its readers, streams and transactions. */
export class MssqlDatabase implements Database {
  readonly sql: SqlTraits;
  readonly classify: typeof classify = classify;
  readonly explain: typeof explain = explain;
  readonly #pool: MssqlPool;
  readonly #streams: Turns;
  readonly #options: DatabaseOptions;
  /** Cancels all running work. */
  readonly #closing = new AbortController();
  #fingerprint: string | undefined;

  constructor(pool: MssqlPool, options: DatabaseOptions) {
    this.#pool = pool;
    this.#streams = streamTurns(options.definition.pool);
    this.#options = options;
    this.sql = options.facts.isBabelfish ? babelfishTraits : traits;
  }

  as(login: Login): Database {
    return new MssqlDatabase(this.#options.openPool(login), this.#options);
  }

  catalog(): Promise<Catalog> {
    return this.#patiently(async (session, { signal }) => {
      const query = this.#echoing(queryOn(session, catalogLimits(signal)));
      this.#fingerprint = await readFingerprint(query);
      return await readCatalog(query, this.#options);
    });
  }

  async check(): Promise<"ok" | "changed" | "gone"> {
    try {
      const current = await this.#patiently((session, { signal }) => {
        return readFingerprint(queryOn(session, catalogLimits(signal)));
      });
      return this.#fingerprint === undefined || current === this.#fingerprint ? "ok" : "changed";
    } catch (error) {
      if (error instanceof PoolBusy) return "ok";
      const failure = classify(error);
      return failure === "timeout" || failure === "contention" ? "ok" : "gone";
    }
  }

  prepare(statement: StatementText): MssqlStatement {
    return new MssqlStatement(statement);
  }

  async read(runs: readonly Run[], { signal, mostRows }: ReadOptions): Promise<readonly Row[][]> {
    if (runs.length === 0) return [];
    const { reading } = this.#options.facts;
    return await this.#withSession(signal, (session, limits) => {
      return readAll(session, runs, { mostRows, reading, limits, ending: this.#ending() });
    });
  }

  async *stream(run: Run, { signal, fetchSize }: StreamOptions): AsyncGenerator<readonly Row[]> {
    const statement = statementOf(run);
    const isSure = requireReading(statement);
    if (statement.isEmpty(run.parameters)) return;
    const limits = this.#limits(signal);
    using turn = await this.#streams.take(limits.signal);
    const session = await this.#pool.acquire(limits.signal);
    const chunks = await openChunks(session, {
      statement,
      command: statement.command(run.parameters),
      fetchSize,
      limits,
      isSure,
      reading: this.#options.facts.reading,
      ending: this.#ending(),
      // The session may be free long before a resting reader asks again.
      release: () => {
        this.#pool.release(session);
        turn[Symbol.dispose]();
      },
    });
    try {
      for (let chunk = await chunks.next(); chunk; chunk = await chunks.next()) yield chunk;
    } finally {
      await chunks.stop();
    }
  }

  describe(statement: WrittenStatement): Promise<StatementDescription> {
    return this.#patiently((session, limits) => {
      const begin = (sql: string) => columnsByRunning(session, sql, limits);
      return describeStatement(statement, { query: queryOn(session, limits), begin });
    });
  }

  async begin({ signal, readOnly = false }: BeginOptions): Promise<Transaction> {
    const limits = this.#limits(signal);
    const session = await this.#pool.acquire(limits.signal);
    try {
      await session.begin(this.#options.facts.writing, limits);
    } catch (error) {
      session.close();
      this.#pool.release(session);
      throw error;
    }
    const { signal: ending, seconds } = limits;
    const release = () => this.#pool.release(session);
    const port = new MssqlTransaction({ session, seconds, readOnly, release });
    return new WriteTransaction(port, { signal: ending, seconds });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(disconnected());
    await this.#pool[Symbol.asyncDispose]();
  }

  /** A transaction is ended even if its request was cancelled. */
  #ending(): Limits {
    return statementLimits(this.#options.definition.pool);
  }

  /** Work without a waiting caller. */
  #patiently<T>(work: Work<T>): Promise<T> {
    return this.#withSession(NEVER, work, PATIENCE);
  }

  async #withSession<T>(signal: AbortSignal, work: Work<T>, patience?: number): Promise<T> {
    const limits = this.#limits(signal);
    const session = await this.#pool.acquire(limits.signal, patience);
    try {
      return await work(session, limits);
    } finally {
      this.#pool.release(session);
    }
  }

  #limits(signal: AbortSignal): Limits & { readonly signal: AbortSignal } {
    this.#closing.signal.throwIfAborted();
    const ending = AbortSignal.any([signal, this.#closing.signal]);
    return { ...statementLimits(this.#options.definition.pool), signal: ending };
  }

  #echoing(query: Query): Query {
    const { host } = this.#options;
    if (!host.echo) return query;
    return (sql, ...parameters) => {
      host.log.info(parameters.length === 0 ? sql : `${sql} -- ${JSON.stringify(parameters)}`);
      return query(sql, ...parameters);
    };
  }
}
