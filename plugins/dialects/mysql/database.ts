/**
 * One connected database under one login: caches statements, and runs each on a connection of the login's pool.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type {
  BeginOptions,
  Catalog,
  Database,
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
import { NEVER } from "@/plugins/kit/bounded.ts";
import { disconnected } from "@/plugins/kit/database_failure.ts";
import { SessionPool } from "@/plugins/kit/session_pool.ts";
import { streamTurns, type Turns } from "@/plugins/kit/turns.ts";
import { WriteTransaction } from "@/plugins/kit/write_transaction.ts";
import { describeCatalog } from "./catalog.ts";
import { type Listing, readListing } from "./catalog_queries.ts";
import { ChangeWatch } from "./change_watch.ts";
import { Control } from "./control.ts";
import { describeStatement } from "./describe.ts";
import { explain } from "./explain.ts";
import { classify } from "./failures.ts";
import type { Place } from "./server.ts";
import { type BoundRun, Reader } from "./reader.ts";
import { MysqlStatement } from "./statement.ts";
import type { MysqlPool, Session } from "./session.ts";
import { streamRows } from "./streams.ts";
import { traitsOf } from "./traits.ts";
import { MysqlTransaction } from "./transaction.ts";

/** One pool of connections with its readers, streams and transactions. */
export class MysqlDatabase implements Database {
  readonly sql: SqlTraits;
  readonly classify: typeof classify = classify;
  readonly explain: typeof explain = explain;
  readonly #place: Place;
  readonly #control: Control;
  readonly #pool: MysqlPool;
  readonly #reader: Reader;
  readonly #turns: Turns;
  readonly #watch: ChangeWatch;
  /** Cancels all running work. */
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  constructor(place: Place, login: Login) {
    this.#place = place;
    this.sql = traitsOf(place.server);
    this.#control = new Control({
      open: () => place.open(login),
      warn: (message) => place.log.warn(message),
    });
    this.#pool = new SessionPool({
      settings: place.settings,
      busy: "All connections to the database are in use",
      open: () => place.open(login),
      reset: (session) => session.needsReset ? session.reset() : undefined,
      stop: (session, reason) => this.#stop(session, reason),
    });
    this.#reader = new Reader(this.#pool, place.settings);
    this.#turns = streamTurns(place.settings);
    this.#watch = new ChangeWatch({
      ask: (sql) => this.#control.ask(sql),
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
      const failure = classify(error);
      if (failure === undefined) throw error;
      return "gone";
    }
  }

  prepare(statement: StatementText): MysqlStatement {
    return new MysqlStatement(statement);
  }

  async read(runs: readonly Run[], options: ReadOptions): Promise<readonly Row[][]> {
    this.#requireOpen();
    return await this.#reader.read(runs.map(boundRun), () => this.#ending(options), options.mostRows);
  }

  async *stream(run: Run, options: StreamOptions): AsyncGenerator<readonly Row[]> {
    this.#requireOpen();
    const signal = this.#ending(options);
    yield* streamRows({ ...this.#place, pool: this.#pool, turns: this.#turns }, {
      ...boundRun(run),
      signal,
      fetchSize: options.fetchSize,
    });
  }

  async describe(statement: WrittenStatement): Promise<StatementDescription> {
    this.#requireOpen();
    const session = await this.#pool.acquire(this.#closing.signal);
    try {
      return await describeStatement(session, statement);
    } finally {
      this.#pool.release(session);
    }
  }

  async begin(options: BeginOptions): Promise<Transaction> {
    this.#requireOpen();
    const signal = this.#ending(options);
    const session = await this.#pool.acquire(signal);
    const { identityStep, settings: { statementTimeout } } = this.#place;
    try {
      await start(session, options.readOnly ?? false);
    } catch (error) {
      this.#pool.discard(session);
      throw error;
    }
    const port = new MysqlTransaction({ session, pool: this.#pool, statementTimeout, identityStep });
    return new WriteTransaction(port, { signal, seconds: statementTimeout });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort(disconnected());
    await this.#pool[Symbol.asyncDispose]();
    await this.#control.close();
  }

  /** Ends the connection and its statement. Without the KILL the server would run the statement to its end. */
  #stop(session: Session, reason: unknown): Promise<void> {
    const killed = session.alive ? this.#control.kill(session.id) : Promise.resolve();
    session.destroy(reason);
    return killed;
  }

  #ending({ signal }: ReadOptions): AbortSignal {
    return AbortSignal.any([signal, this.#closing.signal]);
  }

  async #list(echo: (sql: string) => void): Promise<Listing> {
    const { schemas, server } = this.#place;
    const session = await this.#pool.acquire(NEVER);
    try {
      return await readListing(session, { schemas, server, echo });
    } finally {
      this.#pool.release(session);
    }
  }

  #requireOpen(): void {
    if (this.#closing.signal.aborted) throw disconnected();
  }
}

/** Reads in a writing transaction lock their rows: a record cannot change between the check of it and its update. */
async function start(session: Session, readOnly: boolean): Promise<void> {
  if (readOnly) return await session.command("START TRANSACTION READ ONLY");
  await session.command("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
  await session.command("START TRANSACTION READ WRITE");
}

function fingerprintOf(listing: Listing): string {
  return createHash("sha256").update(JSON.stringify(listing)).digest("base64");
}

function boundRun({ prepared, parameters }: Run): BoundRun {
  if (prepared instanceof MysqlStatement) return { statement: prepared, parameters };
  throw new TypeError("The statement was not prepared by this dialect");
}
