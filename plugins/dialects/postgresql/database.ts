/**
 * One database under one login.
 *
 * @module
 */

import type {
  BeginOptions,
  Catalog,
  ConnectOptions,
  Database,
  DatabaseDefinition,
  DatabaseUsage,
  DialectHost,
  DialectParts,
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
import { NEVER } from "@/plugins/kit/bounded.ts";
import { ConnectedDatabase } from "@/plugins/kit/connected_database.ts";
import { disconnected, placeOf } from "@/plugins/kit/database_failure.ts";
import { echoOf } from "@/plugins/kit/echo.ts";
import { WriteTransaction } from "@/plugins/kit/write_transaction.ts";
import { readCatalog } from "./catalog.ts";
import { schemasOf } from "./catalog_queries.ts";
import { readByCursor } from "./cursor.ts";
import { describeStatement, planStatement } from "./describe.ts";
import type { Address } from "./dial.ts";
import { sessionSettings, transactionSettings } from "./driver.ts";
import { readEncryption } from "./encryption.ts";
import { classify, explain, refusedParameter } from "./failures.ts";
import { Fingerprint } from "./fingerprint.ts";
import { Pool } from "./pool.ts";
import { Reader, type ReaderOptions } from "./reader.ts";
import { PostgresStatement } from "./statement.ts";
import { traits } from "./traits.ts";
import { beginOn } from "./transaction.ts";

/** The common parts of all logins of a database. */
interface Place {
  readonly definition: DatabaseDefinition;
  readonly address: Address;
  readonly host: DialectHost;
  readonly parts: DialectParts;
}

/** One pool of connections with its readers, streams and transactions. */
class PostgresDatabase extends ConnectedDatabase implements Database {
  readonly sql: SqlTraits = traits;
  readonly classify: typeof classify = classify;
  readonly place: typeof placeOf = placeOf;
  readonly refusedParameter: typeof refusedParameter = refusedParameter;
  readonly #place: Place;
  readonly #pool: Pool;
  readonly #work: ReaderOptions;
  readonly #reader: Reader;
  readonly #fingerprint: Fingerprint;
  /** The usual durations of writes; the core keeps the text of a frequent one. */
  readonly #writes = new WeakMap<StatementText, PostgresStatement>();

  constructor(place: Place, login: Login) {
    super();
    const { definition, address, parts } = place;
    this.#place = place;
    this.#pool = new Pool({
      address,
      user: login.dbuser,
      password: login.dbpass,
      database: definition.dbName,
      settings: sessionSettings(definition),
      // Another engine may not know the setting.
      onBegin: parts.reset === undefined ? transactionSettings(definition) : undefined,
      reset: parts.reset,
    }, definition.pool);
    const { pool: { statementTimeout }, prepare: hasSessions } = definition;
    this.#work = { pool: this.#pool, statementTimeout, hasSessions };
    this.#reader = new Reader(this.#work);
    this.#fingerprint = new Fingerprint(this.#pool, definition, parts.fingerprint);
  }

  as(login: Login): Database {
    return new PostgresDatabase(this.#place, login);
  }

  async catalog(): Promise<Catalog> {
    const { host, definition, parts } = this.#place;
    const echo = echoOf(host);
    await this.#fingerprint.take();
    const own = parts.catalog;
    if (!own) return await readCatalog(this.#pool, definition, echo);
    return await this.#pool.use(this.ending(NEVER), (lane) =>
      own(async (sql, parameters = []) => {
        echo(sql, parameters);
        return (await lane.run(sql, parameters, false)).rows;
      }, definition));
  }

  check(): Promise<"ok" | "changed" | "gone"> {
    return this.#fingerprint.compare();
  }

  lag(): Promise<number | undefined> {
    return this.#fingerprint.lag();
  }

  prepare(statement: StatementText): PostgresStatement {
    return new PostgresStatement(statement);
  }

  usage(): DatabaseUsage {
    return this.#pool.usage;
  }

  read(runs: readonly Run[], options: ReadOptions): Promise<readonly Row[][]> {
    this.requireOpen();
    return this.#reader.read(runs, options);
  }

  async *stream(run: Run, { signal, fetchSize, turn }: StreamOptions): AsyncGenerator<readonly Row[]> {
    yield* readByCursor(run, { ...this.#work, signal: this.ending(signal), fetchSize, turn });
  }

  describe(statement: WrittenStatement): Promise<StatementDescription> {
    const { hasSessions } = this.#work;
    return this.#pool.use(this.ending(NEVER), (lane) => describeStatement(lane, statement, hasSessions));
  }

  plan(statement: WrittenStatement, values: readonly unknown[]): Promise<readonly string[]> {
    return this.#pool.use(this.ending(NEVER), (lane) => planStatement(lane, statement, values));
  }

  async begin({ signal: caller, readOnly = false, serial = false }: BeginOptions): Promise<Transaction> {
    const signal = this.ending(caller);
    const lane = await this.#pool.acquire("work", signal);
    const port = beginOn({ ...this.#work, lane, readOnly, serial });
    return new WriteTransaction(port, { signal, seconds: this.#work.statementTimeout });
  }

  /**
   * Only the server knows the number of changed rows before the commit, and a
   * pooler's session keeps no settings.
   */
  write(
    { statement, parameters, least, most }: SingleWrite,
    { signal }: Pick<ReadOptions, "signal">,
  ): Promise<Outcome> | undefined {
    if (!this.#work.hasSessions || least !== undefined || most !== undefined) return undefined;
    this.requireOpen();
    return this.#reader.write(this.#lone(statement), parameters, { signal });
  }

  explain(error: unknown): string {
    return explain(error, schemasOf(this.#place.definition));
  }

  #lone(text: StatementText): PostgresStatement {
    return this.#writes.getOrInsertComputed(text, () => new PostgresStatement(text));
  }

  protected async close(): Promise<void> {
    this.#reader.stop(disconnected());
    await this.#pool[Symbol.asyncDispose]();
  }
}

/** Spellings in definitions of the only supported encoding. */
const ENCODINGS = /^(utf-?8|unicode)(mb4)?$/i;

/** Connects once, so that an unusable server or login is noticed. */
export async function connect(
  { definition, host, parts }: Omit<Place, "address">,
  login: Login,
  { signal }: ConnectOptions,
): Promise<Database> {
  requireEncoding(definition);
  const encryption = await readEncryption(definition.ssl ?? undefined, host.directory);
  const { dbHost = "localhost", dbPort: port = 5432 } = definition;
  const database = new PostgresDatabase(
    { definition, address: { host: dbHost, port, encryption }, host, parts },
    login,
  );
  try {
    const one = database.prepare({ sql: "SELECT 1", columns: [] });
    await database.read([{ prepared: one, parameters: [] }], { signal });
    return database;
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

function requireEncoding({ dbEncoding }: DatabaseDefinition): void {
  if (dbEncoding === undefined || ENCODINGS.test(dbEncoding)) return;
  throw new TypeError(
    `db_encoding "${dbEncoding}" is not used with PostgreSQL: the server itself converts between its encoding and UTF-8, ` +
      "so leave db_encoding out",
  );
}
