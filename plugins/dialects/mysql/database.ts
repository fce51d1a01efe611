/**
 * One connected database under one login: caches statements, and runs each on a connection of the login's pool.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type {
  Catalog,
  Database,
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
  WrittenStatement,
} from "@/plugins/contract.ts";
import { PooledDatabase, statementOf } from "@/plugins/kit/connected_database.ts";
import { allInUse, placeOf } from "@/plugins/kit/database_failure.ts";
import { PoolBusy, SessionPool } from "@/plugins/kit/session_pool.ts";
import type { TransactionPort } from "@/plugins/kit/write_transaction.ts";
import { describeCatalog } from "./catalog.ts";
import { type Listing, readListing } from "./catalog_queries.ts";
import { ChangeWatch } from "./change_watch.ts";
import { Control } from "./control.ts";
import { describeStatement, planStatement } from "./describe.ts";
import { classify, explain } from "./failures.ts";
import type { Place } from "./server.ts";
import { type BoundRun, read, streamRows } from "./reader.ts";
import { MysqlStatement } from "./statement.ts";
import type { Session } from "./session.ts";
import { traitsOf } from "./traits.ts";
import { transactionOn, writeOn } from "./transaction.ts";

/** One pool of connections with its readers, streams and transactions. */
export class MysqlDatabase extends PooledDatabase<Session> implements Database {
  readonly sql: SqlTraits;
  readonly classify: typeof classify = classify;
  readonly explain: typeof explain = explain;
  readonly place: typeof placeOf = placeOf;
  readonly #place: Place;
  readonly #control: Control;
  readonly #watch: ChangeWatch;

  constructor(place: Place, login: Login) {
    const open = () => place.open(login);
    const control = new Control(open, place.log);
    const pool = new SessionPool({
      settings: place.settings,
      busy: allInUse(place.settings.max),
      open,
      reset: (session) => session.needsReset ? session.reset() : undefined,
      stop: (session, reason) => stop(session, control, reason),
    });
    super(pool, place.settings);
    this.#place = place;
    this.sql = traitsOf(place.server);
    this.#control = control;
    this.#watch = new ChangeWatch({
      ask: (sql) => control.ask(sql),
      fingerprint: async () => fingerprintOf(await this.#list(() => {})),
    });
  }

  as(login: Login): MysqlDatabase {
    return new MysqlDatabase(this.#place, login);
  }

  async catalog(): Promise<Catalog> {
    const { schemas, server, echo, log } = this.#place;
    const note = await this.#watch.begin();
    const listing = await this.#list((sql) => echo && log.info(sql));
    note(fingerprintOf(listing));
    return describeCatalog(listing, schemas, server);
  }

  async check(): Promise<"ok" | "changed" | "gone"> {
    try {
      return await this.#watch.hasChanged() ? "changed" : "ok";
    } catch (error) {
      if (classify(error) === undefined) throw error;
      // Callers have all connections: the server is there.
      return error instanceof PoolBusy ? "ok" : "gone";
    }
  }

  prepare(statement: StatementText): MysqlStatement {
    return new MysqlStatement(statement);
  }

  async read(runs: readonly Run[], options: ReadOptions): Promise<readonly Row[][]> {
    this.requireOpen();
    return await read(this.pool, {
      runs: runs.map(boundRun),
      mostRows: options.mostRows,
      seconds: this.settings.statementTimeout,
      ending: () => this.ending(options.signal),
    });
  }

  /** The number of changed rows is known only after the commit, so a write that expects one is left to the core. */
  write(write: SingleWrite, { signal }: Pick<ReadOptions, "signal">): Promise<Outcome> | undefined {
    if (write.least !== undefined || write.most !== undefined) return undefined;
    signal.throwIfAborted();
    return this.#write(write, () => this.ending(signal));
  }

  async *stream(run: Run, options: StreamOptions): AsyncGenerator<readonly Row[]> {
    const bound = boundRun(run);
    const place = { ...this.#place, pool: this.pool };
    const { fetchSize } = options;
    yield* this.streaming(options, (session, ending) => {
      return streamRows(session, bound, { signal: ending, fetchSize }, place);
    });
  }

  describe(statement: WrittenStatement): Promise<StatementDescription> {
    return this.use((session) => describeStatement(session, statement));
  }

  plan(statement: WrittenStatement): Promise<readonly string[]> {
    return this.use((session) => planStatement(session, statement));
  }

  /** Reads in a writing transaction lock their rows: a record cannot change between the check of it and its update. */
  protected async start(session: Session, readOnly: boolean): Promise<TransactionPort> {
    if (!readOnly) await session.command("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
    await session.command(`START TRANSACTION READ ${readOnly ? "ONLY" : "WRITE"}`);
    return transactionOn(session, this.pool, this.#place);
  }

  protected override async close(): Promise<void> {
    await super.close();
    await this.#control[Symbol.asyncDispose]();
  }

  async #write(write: SingleWrite, ending: () => AbortSignal): Promise<Outcome> {
    this.requireOpen();
    const { pool, settings: { statementTimeout: seconds } } = this;
    const { identityStep } = this.#place;
    const session = pool.take((each) => each.mayWrite) ?? await pool.acquireSoon(ending);
    return await writeOn(session, write, { pool, identityStep, seconds, ending });
  }

  #list(echo: (sql: string) => void): Promise<Listing> {
    const { schemas, server } = this.#place;
    return this.use((session) => readListing(session, { schemas, server, echo }));
  }
}

/** Ends the connection and its statement. Without the KILL the server would run the statement to its end. */
function stop(session: Session, control: Control, reason: unknown): Promise<void> {
  const killed = session.alive ? control.kill(session.id) : Promise.resolve();
  session.destroy(reason);
  return killed;
}

function fingerprintOf(listing: Listing): string {
  return createHash("sha256").update(JSON.stringify(listing)).digest("base64");
}

function boundRun(run: Run): BoundRun {
  return { statement: statementOf(run, MysqlStatement), parameters: run.parameters };
}
