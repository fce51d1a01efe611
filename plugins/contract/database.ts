/**
 * Connected databases: reads, streams and transactions.
 *
 * @module
 */

import type { Catalog } from "@/core/catalog.ts";
import type { Row } from "@/core/model.ts";
import type { SqlTraits } from "./sql_traits.ts";
import type {
  Outcome,
  Prepared,
  Run,
  StatementDescription,
  StatementText,
  WrittenStatement,
} from "./statement.ts";

/** A user of the database engine; requests run under it. */
export interface Login {
  /** Its name. */
  readonly dbuser: string;
  /** Must not appear in logs, answers or errors. */
  readonly dbpass: string;
}

/** Options of reading. */
export interface ReadOptions {
  /**
   * Aborted when the client disconnects: the statement is cancelled, and the call or the next step of a
   * stream rejects with the signal's reason itself.
   */
  readonly signal: AbortSignal;
  /**
   * Rows that the statements of one read may return together. Once there are more, the statements that have
   * not begun are skipped, as if they returned no rows. Absent: no bound.
   */
  readonly mostRows?: number | undefined;
  /** The id of the request that the statement is for, for logs. */
  readonly requestId?: string | undefined;
  /** The caller, a user or a network without a login: streams take turns by it. Absent: the service. */
  readonly turn?: string | undefined;
}

/** Options of a stream. */
export interface StreamOptions extends Pick<ReadOptions, "signal" | "requestId" | "turn"> {
  /** Rows of every chunk but the last one, exactly, and the most of the last one: `orm_sdb.yield_per`. */
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
 * | `storage` | the disk is full or fails, or no descriptors are left: waiting does not help, an operator does | 503 |
 * | `corrupt` | the database's file is damaged: the service writes no more into it | 503 |
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
  | "storage"
  | "corrupt"
  | "changed"
  | "too-complex";

/** One connected database under one login. Disposing of it cancels running statements. */
export interface Database extends AsyncDisposable {
  /** The engine's SQL; it may depend on the server's version. */
  readonly sql: SqlTraits;
  /**
   * The same database under another login, with its own connections. It connects on first use; a login that
   * is refused then is the failure `login`. Present where {@link Dialect.hasLogins} is true.
   */
  as?(login: Login): Database;
  /** Its connections at this moment, for metrics; it must cost nothing. Absent: unknown. */
  usage?(): DatabaseUsage | undefined;
  /**
   * Seconds by which this server is behind the one that it copies; 0 for one that copies none, undefined if
   * it does not know. Absent: the engine does not tell.
   */
  lag?(): Promise<number | undefined>;
  /** Reads the tables and views that the login can see. */
  catalog(): Promise<Catalog>;
  /** A cheap check of the connected database: `changed`: its catalog differs; `gone`: it cannot be used. */
  check(): Promise<"ok" | "changed" | "gone">;
  /** Prepares a statement without asking the engine: mistakes in it are found when it runs. */
  prepare(statement: StatementText): Prepared;
  /**
   * Describes a statement by preparing it, without running it. Rejects with the failure
   * `invalid` where the engine refuses it; {@link explain} then has the engine's message and,
   * where known, the position in the text.
   */
  describe(statement: WrittenStatement): Promise<StatementDescription>;
  /**
   * Runs statements in one read-only transaction; the result has the rows of each,
   * with values as in {@link Value}.
   */
  read(runs: readonly Run[], options: ReadOptions): readonly Row[][] | Promise<readonly Row[][]>;
  /** Rows in chunks as they are read, in constant memory and without delaying other requests. */
  stream(run: Run, options: StreamOptions): AsyncIterable<readonly Row[]>;
  /**
   * Begins a transaction that writes. It holds a connection until it ends; disposing of it rolls back
   * uncommitted changes. Rejects with an error that {@link classify} calls `unavailable` when no
   * connection becomes free in time.
   */
  begin(options: BeginOptions): Promise<Transaction>;
  /**
   * Runs one quick statement as a whole transaction, which is committed when the promise resolves; writes
   * that wait at the same time may share a commit. An abort cancels a statement that waits long before it
   * begins; after any other abort, it may have been done all the same. Absent or undefined: the core begins
   * a transaction for the statement.
   */
  write?(
    write: SingleWrite,
    options: Pick<ReadOptions, "signal" | "requestId" | "turn">,
  ): Promise<Outcome> | undefined;
  /**
   * True if {@link write} takes {@link SingleWrite.looks}, and {@link read}
   * returns everything that is committed.
   */
  readonly takesLooks?: boolean;
  /** Undefined for an error that this dialect does not know: the request fails with 500, and it is logged. */
  classify(error: unknown): Failure | undefined;
  /**
   * The database's own message about a failure, without names of files or hosts: for the caller. Called only
   * for `integrity` and `invalid`.
   */
  explain(error: unknown): string;
  /**
   * The position of the mistake in a statement that {@link describe} refused: an index into its text, in
   * UTF-16 code units. Absent or undefined: unknown.
   */
  place?(error: unknown): number | undefined;
  /**
   * Of a statement that ran and failed as `invalid`: the index of the parameter whose value the engine
   * refuses. Absent or undefined: unknown.
   */
  refusedParameter?(error: unknown): number | undefined;
  /**
   * The engine's plan for a statement that {@link describe} accepts and that only reads, line by line, for
   * the person who wrote it. The statement is not run; `values` are those of its parameters, in the form of
   * the driver. Absent: the engine has none.
   */
  plan?(statement: WrittenStatement, values: readonly unknown[]): Promise<readonly string[]>;
}

/** The connections, or workers, of one database under one login. */
export interface DatabaseUsage {
  /** Connected, busy or idle. */
  readonly open: number;
  /** Connected, and free for the next caller. */
  readonly idle: number;
  /** Callers that wait for one. */
  readonly waiting: number;
  /** Processes or threads of its own that ended by themselves since it was connected. */
  readonly ends?: number;
  /** Bytes of a write-ahead log that belongs to this file. */
  readonly walBytes?: number;
}

/** Options of a transaction. */
export interface BeginOptions extends Pick<ReadOptions, "signal" | "requestId" | "turn"> {
  /**
   * A change fails as `read-only`. Engines without read-only transactions report it in {@link
   * Outcome.changes}, and the transaction is never committed then.
   */
  readonly readOnly?: boolean;
  /**
   * The transaction depends on rows that it reads without locking them: of views. They stay as they are until
   * its commit, or one of the conflicting transactions fails as `contention`. A dialect that cannot promise
   * this ignores it: then the later change counts.
   */
  readonly serial?: boolean;
}

/**
 * A transaction that writes. Its statements run one after another; after a failure only {@link rollback} is
 * allowed. After its end by {@link commit} or {@link rollback}, each of these rejects with a `TypeError`.
 */
export interface Transaction extends AsyncDisposable {
  /** Runs one statement. If it fails, the transaction is rolled back at once. */
  run(statement: StatementText, parameters: readonly unknown[]): Promise<Outcome>;
  /** Commits. A commit that has begun is not cancelled. */
  commit(): Promise<void>;
  /** Undoes the changes. */
  rollback(): Promise<void>;
}

/** The numbers of changed rows that a write may have. */
export interface Accepted {
  /** Absent: 0. */
  readonly least?: number | undefined;
  /** Absent: any number. */
  readonly most?: number | undefined;
}

/** A read that a write depends on. */
export interface Look {
  /** Not prepared, as the write's own. */
  readonly statement: StatementText;
  /** One value per placeholder, in their order. */
  readonly parameters: readonly unknown[];
  /** The rows that it returned. */
  readonly rows: readonly Row[];
}

/**
 * A write of one statement. It is undone if it changes another number of rows than accepted; {@link
 * Outcome.changes} has the number all the same.
 */
export interface SingleWrite extends Accepted {
  /** Not prepared: writes are rarer than reads. */
  readonly statement: StatementText;
  /** One value per placeholder, in their order. */
  readonly parameters: readonly unknown[];
  /** The write is done only if these return the same rows in its transaction. Absent: none. */
  readonly looks?: readonly Look[];
}
