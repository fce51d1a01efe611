/**
 * The kit for dialects: makes a database from functions on one connection.
 *
 * @module
 */

import type { Catalog } from "@/core/catalog.ts";
import type { PoolSettings, Row } from "@/core/model.ts";
import type { Database, Failure, Login } from "./database.ts";
import type { SqlTraits } from "./sql_traits.ts";
import type { Outcome, StatementDescription, StatementText, WrittenStatement } from "./statement.ts";

/**
 * Makes databases of engines. A plugin gets it from {@link DialectHost.kit}, so
 * it imports nothing of the service.
 */
export interface DialectKit {
  /**
   * Opens the first connection, and makes a database that opens more on demand. The database has the pool,
   * its time limits and its aborts, the order and the ends of transactions, chunks of exactly `fetchSize`
   * rows, turns of streams and the end of slow readers. Rejects like {@link Engine.open}.
   */
  connect<Connection>(engine: Engine<Connection>, place: EnginePlace): Promise<Database>;
}

/** Where a database is used, and by whom. */
export interface EnginePlace {
  /** The limits of the database, from its definition. */
  readonly pool: PoolSettings;
  /** The user of the engine; engines without users ignore it. */
  readonly login: Login;
  /** See {@link ConnectOptions.signal}. */
  readonly signal: AbortSignal;
}

/**
 * An engine as functions on one of its connections. The kit calls a function only while the connection does
 * nothing else, except {@link interrupt} and {@link close}. It passes their errors to {@link classify}; after
 * `unavailable` the connection is closed.
 */
export interface Engine<Connection> {
  /** The engine's SQL. */
  readonly sql: SqlTraits;
  /** See {@link Dialect.hasLogins}. */
  readonly hasLogins?: boolean;
  /**
   * Connects. A statement outside a transaction must change nothing on this connection. The signal
   * is aborted when no caller waits any more, after `acquire_timeout` at the latest; a connection
   * that comes all the same is closed.
   */
  open(login: Login, signal: AbortSignal): Connection | Promise<Connection>;
  /**
   * Ends a connection. With a reason its statement was given up, or its state is unknown: the
   * engine must stop working for it.
   */
  close(connection: Connection, reason?: unknown): void | Promise<void>;
  /** False once a connection is known to be lost. Absent: {@link classify} tells it by `unavailable`. */
  isAlive?(connection: Connection): boolean;
  /**
   * Takes back what a saved query or a stream may have left on a connection; undefined: nothing is left. A
   * connection that cannot be reset is closed. Absent: a connection is closed after a saved query.
   */
  reset?(connection: Connection): Promise<void> | undefined;
  /**
   * Runs a statement, with all of its rows. {@link Outcome.columns} only matters for saved queries that
   * {@link describe} could not describe.
   */
  query(
    connection: Connection,
    statement: StatementText,
    parameters: readonly unknown[],
  ): Outcome | Promise<Outcome>;
  /**
   * The rows of a statement in portions of any size. The next portion is asked for when the reader needs it,
   * so none should be fetched long before.
   */
  cursor(
    connection: Connection,
    statement: StatementText,
    parameters: readonly unknown[],
    fetchSize: number,
  ): Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>;
  /**
   * Ends the running statement, which then fails. It is called again until the statement has
   * ended, and may come when it just has; the connection is closed afterwards. Absent: {@link
   * close} ends the statement as well.
   */
  interrupt?(connection: Connection): void | Promise<void>;
  /**
   * Absent: the engine only reads, {@link Database.begin} fails as `read-only`, and several statements
   * of one read run one after another.
   */
  readonly transactions?: EngineTransactions<Connection>;
  /**
   * Runs one statement outside transactions that changes something, and commits it. Absent: the core begins a
   * transaction.
   */
  write?(
    connection: Connection,
    statement: StatementText,
    parameters: readonly unknown[],
  ): Outcome | Promise<Outcome>;
  /** See {@link Database.catalog}. */
  catalog(connection: Connection): Catalog | Promise<Catalog>;
  /** A text that changes with the catalog, and is cheaper. Absent: changes are not noticed. */
  fingerprint?(connection: Connection): string | Promise<string>;
  /** See {@link Database.describe}. */
  describe(
    connection: Connection,
    statement: WrittenStatement,
  ): StatementDescription | Promise<StatementDescription>;
  /** See {@link Database.plan}. */
  plan?(
    connection: Connection,
    statement: WrittenStatement,
    values: readonly unknown[],
  ): readonly string[] | Promise<readonly string[]>;
  /** See {@link Database.classify}; the kit's own failures, such as timeouts, are not asked about. */
  classify(error: unknown): Failure | undefined;
  /** See {@link Database.explain}. Absent: callers see no message of the engine. */
  explain?(error: unknown): string;
  /** See {@link Database.place}. */
  place?(error: unknown): number | undefined;
  /** See {@link Database.refusedParameter}. */
  refusedParameter?(error: unknown): number | undefined;
}

/** The transactions of an engine. */
export interface EngineTransactions<Connection> {
  /** `read`: the statements see one state of the data, and a change fails as `read-only`. */
  begin(connection: Connection, access: "read" | "write"): void | Promise<void>;
  /** Commits what {@link begin} began. */
  commit(connection: Connection): void | Promise<void>;
  /** Undoes it; also the end of `read`. */
  rollback(connection: Connection): void | Promise<void>;
}
