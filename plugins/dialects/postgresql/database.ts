/**
 * One database under one login.
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
import { NEVER } from "@/plugins/kit/bounded.ts";
import { ConnectedDatabase } from "@/plugins/kit/connected_database.ts";
import { disconnected } from "@/plugins/kit/database_failure.ts";
import { WriteTransaction } from "@/plugins/kit/write_transaction.ts";
import { readCatalog } from "./catalog.ts";
import { schemasOf } from "./catalog_queries.ts";
import { readByCursor } from "./cursor.ts";
import { describeStatement } from "./describe.ts";
import type { Address } from "./dial.ts";
import { classify, explain } from "./failures.ts";
import { Fingerprint } from "./fingerprint.ts";
import { Pool } from "./pool.ts";
import { Reader } from "./reader.ts";
import { sessionSettings } from "./session.ts";
import { PostgresStatement } from "./statement.ts";
import { traits } from "./traits.ts";
import { PostgresTransaction } from "./transaction.ts";

/** The common parts of all logins of a database. */
export interface Place {
  readonly definition: DatabaseDefinition;
  readonly address: Address;
  readonly host: DialectHost;
}

/** One pool of connections with its readers, streams and transactions. */
export class PostgresDatabase extends ConnectedDatabase implements Database {
  readonly sql: SqlTraits = traits;
  readonly classify: typeof classify = classify;
  readonly #place: Place;
  readonly #pool: Pool;
  readonly #reader: Reader;
  readonly #fingerprint: Fingerprint;

  constructor(place: Place, login: Login) {
    super();
    const { definition, address } = place;
    this.#place = place;
    this.#pool = new Pool({
      address,
      user: login.dbuser,
      password: login.dbpass,
      database: definition.dbName,
      settings: sessionSettings(definition),
    }, definition.pool);
    this.#reader = new Reader({
      pool: this.#pool,
      statementTimeout: definition.pool.statementTimeout,
      hasSessions: definition.prepare,
    });
    this.#fingerprint = new Fingerprint(this.#pool, definition);
  }

  as(login: Login): Database {
    return new PostgresDatabase(this.#place, login);
  }

  async catalog(): Promise<Catalog> {
    const { host, definition } = this.#place;
    await this.#fingerprint.take();
    const echo = (sql: string) => void (host.echo && host.log.info(sql));
    return await readCatalog(this.#pool, { definition, echo });
  }

  check(): Promise<"ok" | "changed" | "gone"> {
    return this.#fingerprint.compare();
  }

  prepare(statement: StatementText): PostgresStatement {
    return new PostgresStatement(statement);
  }

  read(runs: readonly Run[], options: ReadOptions): Promise<readonly Row[][]> {
    this.requireOpen();
    return this.#reader.read(runs, options);
  }

  async *stream(run: Run, options: StreamOptions): AsyncGenerator<readonly Row[]> {
    const signal = this.ending(options.signal);
    signal.throwIfAborted();
    const { pool: { statementTimeout }, prepare: hasSessions } = this.#place.definition;
    const { fetchSize } = options;
    yield* readByCursor(run, { pool: this.#pool, statementTimeout, hasSessions, signal, fetchSize });
  }

  async describe(statement: WrittenStatement): Promise<StatementDescription> {
    const { prepare: hasSessions } = this.#place.definition;
    const lane = await this.#pool.acquire("work", this.ending(NEVER));
    try {
      return await describeStatement(lane, statement, { hasSessions });
    } finally {
      this.#pool.release(lane);
    }
  }

  async begin(options: BeginOptions): Promise<Transaction> {
    const signal = this.ending(options.signal);
    const { pool: { statementTimeout }, prepare: hasSessions } = this.#place.definition;
    const lane = await this.#pool.acquire("work", signal);
    const readOnly = options.readOnly ?? false;
    const port = new PostgresTransaction({ lane, pool: this.#pool, statementTimeout, hasSessions, readOnly });
    return new WriteTransaction(port, { signal, seconds: statementTimeout });
  }

  explain(error: unknown): string {
    return explain(error, schemasOf(this.#place.definition));
  }

  protected async close(): Promise<void> {
    this.#reader.stop(disconnected());
    await this.#pool[Symbol.asyncDispose]();
  }
}
