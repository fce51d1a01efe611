/**
 * One connected database under one login.
 *
 * @module
 */

import type {
  Catalog,
  Database,
  DatabaseDefinition,
  DialectHost,
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
  TableDescription,
  WrittenStatement,
} from "@/plugins/contract.ts";
import { type Limits, statementLimits } from "@/plugins/kit/bounded.ts";
import { PooledDatabase, statementOf } from "@/plugins/kit/connected_database.ts";
import { placeOf, silent } from "@/plugins/kit/database_failure.ts";
import { echoOf } from "@/plugins/kit/echo.ts";
import { PoolBusy } from "@/plugins/kit/session_pool.ts";
import { type TransactionPort, unknownOutcome } from "@/plugins/kit/write_transaction.ts";
import { readCatalog } from "./catalog.ts";
import { describeStatement } from "./describe.ts";
import { classify, explain } from "./failures.ts";
import { catalogLimits, type Facts, PATIENCE, type Query, queryOn, readFingerprint } from "./query.ts";
import { certainlyReads, readAll, readChunks, type Reading } from "./reading.ts";
import type { MssqlPool, Session } from "./session.ts";
import { MssqlStatement, statementFor } from "./statement.ts";
import { babelfishTraits, traits } from "./traits.ts";
import { runOn, transactionOn } from "./transaction.ts";

/** What ends a statement before its time is up. */
type End = Pick<Limits, "signal" | "ending">;

/** Seconds that a look at the server may take. */
const LOOK = 10;

/** The common parts of all logins of one database. */
interface DatabaseOptions {
  readonly definition: DatabaseDefinition;
  readonly host: DialectHost;
  readonly facts: Facts;
  openPool(login: Login): MssqlPool;
  /** The quoted names of the tables with triggers on INSERT, once the catalog is known. */
  triggered?: ReadonlySet<string>;
}

/** One pool of connections with its readers, streams and transactions. */
export class MssqlDatabase extends PooledDatabase<Session> implements Database {
  readonly sql: SqlTraits;
  readonly classify: typeof classify = classify;
  readonly explain: typeof explain = explain;
  readonly place: typeof placeOf = placeOf;
  readonly #options: DatabaseOptions;
  #fingerprint: string | undefined;

  constructor(pool: MssqlPool, options: DatabaseOptions) {
    super(pool, options.definition.pool);
    this.#options = options;
    this.sql = options.facts.isBabelfish ? babelfishTraits : traits;
  }

  as(login: Login): Database {
    return new MssqlDatabase(this.#options.openPool(login), this.#options);
  }

  catalog(): Promise<Catalog> {
    const echo = echoOf(this.#options.host);
    return this.#patiently(async (session, signal) => {
      const ask = queryOn(session, catalogLimits(signal));
      const query: Query = (sql, ...parameters) => {
        echo(sql, parameters);
        return ask(sql, ...parameters);
      };
      this.#fingerprint = await readFingerprint(query);
      const catalog = await readCatalog(query, this.#options);
      this.#options.triggered = new Set(catalog.tables.flatMap(triggeredName));
      return catalog;
    });
  }

  async check(): Promise<"ok" | "changed" | "gone"> {
    const limits = { seconds: LOOK, expired: () => silent(LOOK) };
    try {
      const current = await this.use(
        (session, signal) => readFingerprint(queryOn(session, { ...limits, signal })),
        LOOK,
      );
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

  async read(runs: readonly Run[], options: ReadOptions): Promise<readonly Row[][]> {
    if (runs.length === 0) return [];
    return await this.useSoon((session, ending) => {
      return readAll(session, runs, options.mostRows, this.#reading({ ending }));
    }, options);
  }

  async *stream(run: Run, options: StreamOptions): AsyncGenerator<readonly Row[]> {
    const statement = statementOf(run, MssqlStatement);
    certainlyReads(statement);
    if (statement.isEmpty(run.parameters)) return;
    const wanted = { statement, parameters: run.parameters, fetchSize: options.fetchSize };
    const user = { signal: options.signal, turn: options.turn, isQuery: statement.isSavedQuery };
    yield* this.streaming(user, (session, signal, turn) => {
      const release = () => {
        this.pool.release(session);
        turn[Symbol.dispose]();
      };
      return readChunks(session, wanted, { ...this.#reading({ signal }), release });
    });
  }

  /**
   * The server commits a write of one statement by itself: one round trip in place of three. Undefined for
   * others, and for one that may have to be rolled back for its number of rows.
   */
  write(
    { statement, parameters, least, most }: SingleWrite,
    options: Pick<ReadOptions, "signal">,
  ): Promise<Outcome> | undefined {
    const prepared = statementFor(statement);
    if (least !== undefined || most !== undefined || !prepared.isLoneWrite) return undefined;
    // A trigger that reports an error by RAISERROR alone leaves the record there.
    if (this.#options.triggered?.has(prepared.insertsInto)) return undefined;
    return this.useSoon(async (session, ending) => {
      const limits = { ...this.#limits({ ending }), expired: () => unknownOutcome("write") };
      // It depends on nothing that it has read.
      await session.isolate("READ_COMMITTED", limits);
      return await runOn(session, prepared, { parameters, limits });
    }, options);
  }

  describe(statement: WrittenStatement): Promise<StatementDescription> {
    return this.#patiently((session, signal) =>
      describeStatement(session, statement, this.#limits({ signal }))
    );
  }

  protected async start(session: Session, readOnly: boolean, signal: AbortSignal): Promise<TransactionPort> {
    const limits = this.#limits({ signal });
    await session.begin(this.#options.facts.writing, limits);
    return transactionOn(session, this.pool, { seconds: limits.seconds, readOnly });
  }

  #reading(end: End): Reading {
    const { reading } = this.#options.facts;
    return { reading, limits: this.#limits(end), ending: this.#limits() };
  }

  #patiently<T>(work: (session: Session, signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.use(work, PATIENCE);
  }

  /**
   * The limits of one statement; without an end, of the end of a transaction,
   * even if its request was cancelled.
   */
  #limits(end: End = {}): Limits {
    return { ...statementLimits(this.settings.statementTimeout), ...end };
  }
}

function triggeredName({ identifier = [], kind, joinsInserts }: TableDescription): readonly string[] {
  if (kind === "view" || joinsInserts) return [];
  return [identifier.map((part) => `"${part.replaceAll('"', '""')}"`).join(".")];
}
