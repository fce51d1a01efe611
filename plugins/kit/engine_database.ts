/**
 * A database made from functions on one connection: the pool, time limits, aborts, transactions and streams
 * are here, the engine is elsewhere.
 *
 * @module
 */

import type {
  BeginOptions,
  Catalog,
  Database,
  Engine,
  Failure,
  Login,
  Outcome,
  ReadOptions,
  Row,
  Run,
  SingleWrite,
  SqlTraits,
  StatementDescription,
  StatementText,
  StreamOptions,
  Transaction,
  WrittenStatement,
} from "@/plugins/contract.ts";
import { bounded, type Limits, requireEarly, statementLimits } from "./bounded.ts";
import { PooledDatabase, statementOf, whenGiven } from "./connected_database.ts";
import { allInUse, DatabaseFailure, disconnected, silent, UNTOLD } from "./database_failure.ts";
import { EngineStatement, readRuns } from "./engine_read.ts";
import { EngineSession, openSession, type SessionOptions } from "./engine_session.ts";
import { chunksOf } from "./engine_stream.ts";
import { PoolBusy, SessionPool } from "./session_pool.ts";
import { transactionOverdue, type TransactionPort, unknownOutcome } from "./write_transaction.ts";

/** Seconds that a check of the catalog may take. */
const PATIENCE = 10;

/** One pool of connections of an engine. */
export class EngineDatabase<Connection> extends PooledDatabase<EngineSession<Connection>>
  implements Database {
  readonly sql: SqlTraits;
  readonly as?: NonNullable<Database["as"]>;
  readonly plan?: NonNullable<Database["plan"]>;
  readonly #engine: Engine<Connection>;
  readonly #options: SessionOptions;
  readonly #limits: Limits;
  /** Aborted when the database is closed: waits for a connection end. */
  readonly #opening: AbortController;
  #fingerprint: string | undefined;

  constructor(engine: Engine<Connection>, options: SessionOptions) {
    const { settings } = options;
    const opening = new AbortController();
    const pool = new SessionPool<EngineSession<Connection>>({
      settings,
      busy: allInUse(settings.max),
      open: () => openSession(engine, options, opening.signal),
      reset: (session) => session.reset(),
      stop: (session, reason) => session.stop(reason),
    });
    super(pool, settings);
    this.sql = engine.sql;
    this.#engine = engine;
    this.#options = options;
    this.#opening = opening;
    this.#limits = statementLimits(settings.statementTimeout);
    if (engine.hasLogins) this.as = (login) => this.under(login);
    const plan = engine.plan?.bind(engine);
    if (plan) this.plan = (statement, values) => this.ask((at) => plan(at, statement, values));
  }

  protected under(login: Login): Database {
    return new EngineDatabase(this.#engine, { ...this.#options, login });
  }

  /** Opens the first connection. */
  async reach(signal: AbortSignal): Promise<void> {
    this.pool.release(await this.pool.acquire(this.ending(signal), 0));
  }

  catalog(): Promise<Catalog> {
    return this.use(async (session, signal) => {
      const engine = this.#engine;
      const limits = { seconds: 0, expired: this.#limits.expired, signal };
      // Taken before the catalog is read, so that a change meanwhile is noticed.
      this.#fingerprint = await this.#ask(session, limits, (at) => engine.fingerprint?.(at));
      return await this.#ask(session, limits, (at) => engine.catalog(at));
    });
  }

  async check(): Promise<"ok" | "changed" | "gone"> {
    const limits = { seconds: PATIENCE, expired: () => silent(PATIENCE) };
    try {
      const print = await this.use((session, signal) => {
        return this.#ask(session, { ...limits, signal }, (at) => this.#engine.fingerprint?.(at));
      }, PATIENCE);
      return print === undefined || print === this.#fingerprint ? "ok" : "changed";
    } catch (error) {
      const failure = this.classify(error);
      if (failure === undefined) throw error;
      // A busy server is there.
      return error instanceof PoolBusy || failure === "timeout" || failure === "contention" ? "ok" : "gone";
    }
  }

  prepare(statement: StatementText): EngineStatement {
    return new EngineStatement(statement);
  }

  describe(statement: WrittenStatement): Promise<StatementDescription> {
    return this.ask((at) => this.#engine.describe(at, statement));
  }

  /** An idle connection may have been lost unnoticed, so a read is repeated once on another. */
  read(runs: readonly Run[], options: ReadOptions): Promise<readonly Row[][]> {
    const refused = this.refusal();
    if (refused) return refused;
    if (runs.length === 0) return Promise.resolve([]);
    // Most reads are quick, so the signal is created only for slow ones.
    const ending = () => this.ending(options.signal);
    const limits = { ...this.#limits, ending };
    const spend = (session: EngineSession<Connection>) =>
      this.#spend(session, limits, () => readRuns(session, runs, options.mostRows));
    const idle = this.pool.take((session) => !session.hasJustWritten);
    if (!idle) return whenGiven(this.pool.acquireSoon(ending), spend);
    return spend(idle).catch((error: unknown) => {
      if (idle.alive || this.classify(error) !== "unavailable") throw error;
      return whenGiven(this.pool.acquireSoon(ending), spend);
    });
  }

  async *stream(run: Run, options: StreamOptions): AsyncGenerator<readonly Row[]> {
    const { text } = statementOf(run, EngineStatement);
    const { fetchSize } = options;
    const limits = this.#limits;
    const { pool } = this;
    const engine = this.#engine;
    const isQuery = text.verb !== undefined;
    yield* this.streaming(
      { signal: options.signal, turn: options.turn, isQuery },
      async function* (session, signal) {
        session.hasStreamed = true;
        session.hasRunQuery ||= isQuery;
        session.hasJustWritten = false;
        try {
          const discard = (reason: unknown) => pool.discard(session, reason);
          const opening = session.run((at) => engine.cursor(at, text, run.parameters, fetchSize));
          const portions = await bounded(opening, { ...limits, signal, giveUp: discard });
          yield* chunksOf(portions, {
            fetchSize,
            limits: { ...limits, signal },
            run: (work) => session.run(work),
            discard,
          });
        } finally {
          pool.release(session);
        }
      },
    );
  }

  override async begin(options: BeginOptions): Promise<Transaction> {
    if (!this.#engine.transactions) throw onlyReads();
    return await super.begin(options);
  }

  /** Undefined for a write that expects a number of changed rows: it is known only after the commit. */
  write(write: SingleWrite, options: Pick<ReadOptions, "signal">): Promise<Outcome> | undefined {
    const run = this.#engine.write?.bind(this.#engine);
    if (!run || write.least !== undefined || write.most !== undefined) return undefined;
    const { statement, parameters } = write;
    return this.#write((at) => run(at, statement, parameters), () => this.ending(options.signal));
  }

  classify(error: unknown): Failure | undefined {
    return error instanceof DatabaseFailure ? error.failure : this.#engine.classify(error);
  }

  explain(error: unknown): string {
    return this.#engine.explain?.(error) ?? UNTOLD;
  }

  place(error: unknown): number | undefined {
    return error instanceof DatabaseFailure ? error.place : this.#engine.place?.(error);
  }

  refusedParameter(error: unknown): number | undefined {
    return this.#engine.refusedParameter?.(error);
  }

  protected override close(): Promise<void> {
    this.#opening.abort(disconnected());
    return super.close();
  }

  /** One question to the engine within the limit of a statement, without a waiting caller. */
  protected ask<T>(question: (connection: Connection) => T | Promise<T>): Promise<T> {
    return this.use((session, signal) => this.#ask(session, { ...this.#limits, signal }, question));
  }

  protected async start(
    session: EngineSession<Connection>,
    readOnly: boolean,
    signal: AbortSignal,
  ): Promise<TransactionPort> {
    const { transactions } = this.#engine;
    if (!transactions) throw onlyReads();
    const { seconds } = this.#limits;
    const limits = { seconds, expired: () => transactionOverdue(seconds) };
    const access = readOnly ? "read" : "write";
    await this.#ask(session, { ...limits, signal }, (at) => transactions.begin(at, access));
    return {
      run: (text, parameters, signal) => {
        session.hasRunQuery ||= text.verb !== undefined;
        return this.#ask(session, { ...limits, signal }, (at) => this.#engine.query(at, text, parameters));
      },
      commit: () => {
        const late = () => unknownOutcome("commit");
        return this.#ask(session, { seconds, expired: late }, (at) => transactions.commit(at));
      },
      rollback: () => this.#ask(session, limits, (at) => transactions.rollback(at)),
      release: (isBroken) => isBroken ? this.pool.discard(session) : this.pool.release(session),
    };
  }

  #write(
    write: (connection: Connection) => Outcome | Promise<Outcome>,
    ending: () => AbortSignal,
  ): Promise<Outcome> {
    const refused = this.refusal();
    if (refused) return refused;
    const limits = { ...this.#limits, expired: () => unknownOutcome("write"), ending };
    const given = this.pool.take((each) => each.hasJustWritten) ?? this.pool.acquireSoon(ending);
    return whenGiven(given, (session) => {
      session.hasJustWritten = true;
      return this.#spend(session, limits, () => session.run(write));
    });
  }

  #ask<T>(
    session: EngineSession<Connection>,
    limits: Limits,
    question: (connection: Connection) => T | Promise<T>,
  ): Promise<T> {
    return this.#within(session, limits, () => session.run(question));
  }

  /** Like {@link #within}, and gives the connection back. */
  #spend<T>(session: EngineSession<Connection>, limits: Limits, work: () => Promise<T>): Promise<T> {
    return this.#within(session, limits, work).then((result) => {
      this.pool.release(session);
      return result;
    }, (error: unknown) => {
      this.pool.release(session);
      throw error;
    });
  }

  /**
   * Work on a connection, which is ended with its work when a limit is reached, and once it is lost. Written
   * with callbacks, because each async function costs as much as a part of the driver.
   */
  #within<T>(session: EngineSession<Connection>, limits: Limits, work: () => Promise<T>): Promise<T> {
    const giveUp = (reason: unknown) => this.pool.discard(session, reason);
    const begun = performance.now();
    return bounded(work(), { ...limits, giveUp }).then((result) => {
      requireEarly(begun, limits);
      return result;
    }, (error: unknown) => {
      if (this.classify(error) === "unavailable") giveUp(error);
      throw session.reasonOf(error);
    });
  }
}

function onlyReads(): DatabaseFailure {
  return new DatabaseFailure("read-only", "The database is only read");
}
