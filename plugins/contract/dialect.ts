/**
 * Dialects: how a database product is spoken to.
 *
 * @module
 */

import type { Compilable } from "kysely";
import type { Catalog, Column, DatabaseDefinition, Row, ValueType } from "@/core/model.ts";
import type { Log, Plugin } from "./plugin.ts";
import type { SqlTraits } from "./sql_traits.ts";

/** A dialect, as its folder exports it. */
export type DialectPlugin = Plugin<"dialect", Dialect, DialectHost>;

/** What a dialect may use. */
export interface DialectHost {
  /** Where operators read what goes wrong. Nothing secret belongs there. */
  readonly log: Log;
  /** `orm_sdb.engine_echo`: log the SQL that reads the catalog. */
  readonly echo: boolean;
  /** Relative file names in definitions are relative to this directory. */
  readonly directory: string;
  /** `ignore_default_fields`: false lets the server set SQL Server's TIMESTAMP columns instead of taking the passed value. */
  readonly ignoreDefaultFields: boolean;
  /** `sqlite.directories`: files of databases are in one of them. Absent: anywhere. */
  readonly fileDirectories?: readonly string[];
  /** True while the configuration is only checked: nothing of a database is changed. */
  readonly checksOnly?: boolean;
}

/** A dialect that was set up. */
export interface Dialect {
  /**
   * True where the engine has users of its own: requests run under the login of their user's mapping (see {@link Database.as}),
   * and a user without one has no access. Default false: whoever may open the database reads all of it.
   */
  readonly hasLogins?: boolean;
  /** Throws where `db_name` is no file in one of the directories. There where databases are files. */
  requireFileIn?(dbName: string, directories: readonly string[]): Promise<void>;
  /**
   * Connects with the login that reads the catalog. Throws when the database cannot be reached or refuses the login; the
   * message is shown to operators only.
   */
  connect(definition: DatabaseDefinition, login: Login): Promise<Database>;
}

/** The database's own user that requests run under. */
export interface Login {
  /** Its name. */
  readonly dbuser: string;
  /** Never shown, and in no error. */
  readonly dbpass: string;
}

/** A statement with its result's columns, as {@link Database.prepare} takes it. */
export interface StatementText {
  /** With the placeholders that the engine's compiler writes. */
  readonly sql: string;
  /** Columns of the result, in order: they tell how values are decoded. */
  readonly columns: readonly Pick<Column, "type" | "declaredType">[];
  /**
   * People wrote it, and this is its first word in upper case: nothing is known of how long it takes, nor of what it would
   * leave behind in the session that it ran in.
   */
  readonly verb?: string;
  /**
   * It reads or writes a table whose description has `runsCode`, or writes one that has `changesRunCode`: it may leave
   * something behind in its session.
   */
  readonly runsCode?: boolean;
  /** Positions of the page's limit and offset among the parameters, where the statement has them. */
  readonly limitAt?: number;
  /** See {@link limitAt}. */
  readonly offsetAt?: number;
}

/** A statement that is kept; only the database that made it understands it. */
export type Prepared = object;

/** A statement that is to run. */
export interface Run {
  /** As {@link Database.prepare} of the same database gave it. */
  readonly prepared: Prepared;
  /** A value for each placeholder, in their order. */
  readonly parameters: readonly unknown[];
}

/** How statements run. */
export interface ReadOptions {
  /** Aborted when the server notices that the caller has gone: the statement is given up. */
  readonly signal: AbortSignal;
  /**
   * Rows that the statements of one read may give together. Once there are more, those that have not begun are left out, as
   * if they gave no rows. Absent: no bound.
   */
  readonly mostRows?: number | undefined;
}

/** How a stream runs. */
export interface StreamOptions extends Pick<ReadOptions, "signal"> {
  /** Rows per chunk: `orm_sdb.yield_per`. */
  readonly fetchSize: number;
}

/**
 * Why a statement failed, in terms that lead to an answer:
 *
 * | failure | means | answer |
 * |---|---|---|
 * | `integrity` | a rule of the database: a key, a check, NULL where there must be a value | 409, in a PUT 422 |
 * | `invalid` | a value that the engine refuses when it is asked: too long, out of range, no such enum member | 400 |
 * | `read-only` | it would change something in a transaction that only reads | 403, of a saved query 400 |
 * | `permission` | the database login lacks a right | 403 |
 * | `login` | the database refuses the login itself | 403 |
 * | `timeout` | it took longer than `statement_timeout` | 504 |
 * | `contention` | a deadlock, a lock that was not free in time: what can be repeated is, once | 503 |
 * | `unavailable` | the connection was lost or none was free in time | 503 |
 * | `changed` | the catalog is out of date and is read again | 503 |
 * | `too-complex` | more than the engine takes in one statement | 400 |
 */
export type Failure =
  | "integrity"
  | "invalid"
  | "read-only"
  | "permission"
  | "login"
  | "timeout"
  | "contention"
  | "unavailable"
  | "changed"
  | "too-complex";

/** One connected database under one login. Disposing of it ends what is under way. */
export interface Database extends AsyncDisposable {
  /** How this engine's SQL differs; it may depend on the server's version. */
  readonly sql: SqlTraits;
  /**
   * The same database under another login, with connections of its own; it connects when it is first used, and a login that
   * is refused then is the failure `login`. There where {@link Dialect.hasLogins} is true.
   */
  as?(login: Login): Database;
  /** The tables and views that the login can see, read anew. */
  catalog(): Promise<Catalog>;
  /** A cheap look whether it still is what was connected: `changed` has another catalog, `gone` cannot be used. */
  check(): Promise<"ok" | "changed" | "gone">;
  /** Keeps a statement. The engine is not asked: what is wrong with it is found when it runs. */
  prepare(statement: StatementText): Prepared;
  /**
   * What a statement gives, found by preparing it: it does not run. Rejects with the failure `invalid` where the engine
   * does not take it; {@link explain} then has its words and, where it tells one, the place in the text.
   */
  describe(statement: WrittenStatement): Promise<StatementDescription>;
  /** Runs statements in one read-only transaction; the result has the rows of each, values as {@link Value} tells. */
  read(runs: readonly Run[], options: ReadOptions): readonly Row[][] | Promise<readonly Row[][]>;
  /** Rows in chunks as they are read, in constant memory and without holding up other requests. */
  stream(run: Run, options: StreamOptions): AsyncIterable<readonly Row[]>;
  /**
   * Begins a transaction that writes. It holds a connection of its own until it ends; disposing of it rolls back what was
   * not committed. Rejects with an error that {@link classify} calls `unavailable` when none is free in time.
   */
  begin(options: BeginOptions): Promise<Transaction>;
  /** Undefined: nothing this dialect knows; the request fails with 500 and the error is logged. */
  classify(error: unknown): Failure | undefined;
  /** The database's own words about an `integrity` or `invalid` failure, without names of files or hosts: for the caller. */
  explain(error: unknown): string;
}

/** A statement that people wrote. */
export interface WrittenStatement {
  /** With the placeholders that the engine's compiler writes. */
  readonly sql: string;
  /** Its first word in upper case. */
  readonly verb: string;
  /** The declared type of each of its placeholders, in their order; undefined: none is. */
  readonly parameters: readonly (ValueType | undefined)[];
}

/** A column of a result, as the engine names it: names may be empty or repeat. */
export type ResultColumn = Pick<Column, "name" | "type" | "declaredType" | "zone" | "irregular">;

/** What is known of a statement before it runs. */
export interface StatementDescription {
  /** Columns of its result. None: it gives no rows. Absent: that is known only when it runs, {@link Outcome.columns}. */
  readonly columns?: readonly ResultColumn[];
  /** False: it changes something. Absent: the engine does not tell before it runs. */
  readonly isReadOnly?: boolean;
}

/** How a transaction begins. */
export interface BeginOptions extends Pick<ReadOptions, "signal"> {
  /**
   * What would change something fails as `read-only`, or, where an engine has no such transactions, tells so in
   * {@link Outcome.changes}: it is never committed then.
   */
  readonly readOnly?: boolean;
}

/** A transaction that writes. Its statements run in turn; after one has failed only {@link rollback} is left. */
export interface Transaction extends AsyncDisposable {
  /** Runs one statement. When it fails the transaction is rolled back at once. */
  run(statement: StatementText, parameters: readonly unknown[]): Promise<Outcome>;
  /** Keeps what was changed. A commit that has begun is not given up. */
  commit(): Promise<void>;
  /** Takes back what was changed. */
  rollback(): Promise<void>;
}

/** What a statement did. */
export interface Outcome {
  /** Rows of a query or of `RETURNING`, values as {@link Value} tells; of several results those of the first. */
  readonly rows: readonly Row[];
  /** What the rows have, where {@link Database.describe} could not tell. */
  readonly columns?: readonly ResultColumn[];
  /**
   * The {@link Column.identity} of the first row that was inserted, from engines that give back no rows; those of the
   * following rows are each {@link identityStep} more.
   */
  readonly firstIdentity?: number | bigint;
  /** Default 1. */
  readonly identityStep?: number;
  /** Number of rows that were inserted, changed or deleted. */
  readonly changes: number;
}

/** A query that Kysely can compile; named here so that plugins need no import of their own. */
export type Compiled = ReturnType<Compilable["compile"]>;
