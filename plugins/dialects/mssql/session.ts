/**
 * One connection to the server. It runs one statement at a time.
 *
 * @module
 */

import {
  Connection,
  type ConnectionConfiguration,
  ConnectionError,
  ISOLATION_LEVEL,
  type Request,
} from "tedious";
import type { PoolSettings } from "@/plugins/contract.ts";
import { bounded, type Limits } from "@/plugins/kit/bounded.ts";
import { allInUse, silent } from "@/plugins/kit/database_failure.ts";
import { type PooledSession, SessionPool } from "@/plugins/kit/session_pool.ts";
import { connectFailure, reported } from "./failures.ts";
import { type OnRow, Running } from "./running.ts";
import type { Command } from "./statement.ts";

/** Isolation levels, by the driver's names. */
export type Isolation = "READ_COMMITTED" | "SNAPSHOT";

/** The settings of every session before its first statement. */
interface SessionSettings {
  readonly configuration: ConnectionConfiguration;
  /** Milliseconds to wait for a lock. */
  readonly lockTimeout: number;
}

/** The connections of one login. */
export type MssqlPool = SessionPool<Session>;

/** Connections are opened on demand. */
export function sessionPool(settings: PoolSettings, session: SessionSettings): MssqlPool {
  return new SessionPool({
    settings,
    busy: allInUse(settings.max),
    open: () => Session.open(session),
    reset: (each) => each.needsReset ? each.reset() : undefined,
    stop: (each) => each.end(),
  });
}

/** A session; its user has it exclusively. */
export class Session implements PooledSession {
  readonly #connection: Connection;
  readonly #settings: SessionSettings;
  #isolation: Isolation = "READ_COMMITTED";
  #alive = true;
  #needsReset = false;

  private constructor(connection: Connection, settings: SessionSettings) {
    this.#connection = connection;
    this.#settings = settings;
    connection.on("end", () => this.#alive = false);
    // The driver informs the running statement; between statements there is none.
    connection.on("error", () => this.#alive = false);
  }

  /** Connects. Rejects as `login` if the server refuses it, else as `unavailable`. */
  static async open(settings: SessionSettings): Promise<Session> {
    const session = new Session(await connect(settings.configuration), settings);
    try {
      await session.#prepare();
      return session;
    } catch (error) {
      void session.end();
      throw error;
    }
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** True after a saved query. Locks, settings and the session context stay until {@link reset}. */
  get needsReset(): boolean {
    return this.#needsReset;
  }

  async reset(): Promise<void> {
    const limits = limitsOfConnecting(this.#settings.configuration);
    await this.#bounded(limits, (done) => this.#connection.reset(done));
    this.#isolation = "READ_COMMITTED";
    await this.#prepare();
    this.#needsReset = false;
  }

  start(command: Command, limits: Limits, onRow: OnRow): Running {
    limits.signal?.throwIfAborted();
    this.#needsReset ||= command.isSavedQuery ?? false;
    return new Running(command, limits, { onRow, send: (request) => this.#connection.execSql(request) });
  }

  /** Runs several statements that change the session itself. */
  async batch(sql: string, limits: Limits): Promise<void> {
    const send = (request: Request) => this.#connection.execSqlBatch(request);
    await new Running({ sql, parameters: [] }, limits, { send }).finished;
  }

  /** Sets the isolation of statements outside transactions. */
  async isolate(isolation: Isolation, limits: Limits): Promise<void> {
    if (this.#isolation === isolation) return;
    await this.batch(`set transaction isolation level ${isolation.replace("_", " ")}`, limits);
    this.#isolation = isolation;
  }

  async begin(isolation: Isolation, limits: Limits): Promise<void> {
    await this.#bounded(limits, (done) => {
      this.#connection.beginTransaction(done, "", ISOLATION_LEVEL[isolation]);
    });
    this.#isolation = isolation;
  }

  commit(limits: Limits): Promise<void> {
    return this.#bounded(limits, (done) => this.#connection.commitTransaction(done));
  }

  /** Rolls back the transaction, unless an error has done so already, and applies the remedy. */
  rollback(limits: Limits, remedy?: string): Promise<void> {
    const rollback = "if @@trancount > 0 rollback transaction";
    return this.batch(remedy === undefined ? rollback : `${rollback}; ${remedy}`, limits);
  }

  /** Does not wait for the server. */
  end(): Promise<void> {
    this.#alive = false;
    this.#connection.close();
    return Promise.resolve();
  }

  #prepare(): Promise<void> {
    const { configuration, lockTimeout } = this.#settings;
    return this.batch(`set nocount off; set lock_timeout ${lockTimeout}`, limitsOfConnecting(configuration));
  }

  /**
   * The beginning and end of a transaction cannot be cancelled: one that is not
   * answered in time costs the connection.
   */
  #bounded(limits: Limits, send: (done: (error?: Error | null) => void) => void): Promise<void> {
    limits.signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    send((error) => error ? reject(reported(error)) : resolve());
    return bounded(promise, { ...limits, giveUp: () => void this.end() });
  }
}

async function connect(configuration: ConnectionConfiguration): Promise<Connection> {
  const connection = new Connection(configuration);
  let told: Parameters<typeof connectFailure>[1];
  connection.on("errorMessage", (message) => told ??= message);
  const { promise, resolve } = Promise.withResolvers<Error | undefined>();
  connection.connect(resolve);
  const error = await promise;
  if (error instanceof ConnectionError && error.code === "ETIMEOUT") {
    throw silent(secondsToConnect(configuration));
  }
  if (error) throw connectFailure(error, told);
  return connection;
}

function limitsOfConnecting(configuration: ConnectionConfiguration): Limits {
  const seconds = secondsToConnect(configuration);
  return { seconds, expired: () => silent(seconds) };
}

function secondsToConnect({ options }: ConnectionConfiguration): number {
  return (options?.connectTimeout ?? 0) / 1000;
}
