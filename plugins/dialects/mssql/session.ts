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
} from "./driver.ts";
import { babelfishFailure, NOT_MAPPED } from "./babelfish.ts";
import { MssqlFailure, reported } from "./failures.ts";
import { NUMBERS } from "./error_numbers.ts";
import { type Bounds, type OnRow, Running } from "./running.ts";
import type { Command } from "./statement.ts";

/** Isolation levels, by the driver's names. */
export type Isolation = "READ_COMMITTED" | "SNAPSHOT";

/** What every session is set to before its first statement. */
export interface SessionSettings {
  readonly configuration: ConnectionConfiguration;
  /** Milliseconds to wait for a lock. */
  readonly lockTimeout: number;
}

/** Whoever has it from the pool has it alone. */
export class Session {
  readonly #connection: Connection;
  #isolation: Isolation = "READ_COMMITTED";
  #isOpen = true;

  private constructor(connection: Connection) {
    this.#connection = connection;
    connection.on("end", () => this.#isOpen = false);
    // The statement under way is told by the driver; between statements there is nobody to tell.
    connection.on("error", () => this.#isOpen = false);
  }

  /** Connects. Rejects with a failure `login` where the server refuses it, else `unavailable`. */
  static async open({ configuration, lockTimeout }: SessionSettings): Promise<Session> {
    const session = new Session(await connect(configuration));
    try {
      const settings = `set nocount off; set lock_timeout ${lockTimeout}`;
      await session.batch(settings, boundsOfConnecting(configuration));
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Runs a statement with parameters; each of its rows is given to `onRow`. */
  start(command: Command, bounds: Bounds, onRow: OnRow): Running {
    bounds.signal.throwIfAborted();
    const running = new Running(command.sql, onRow);
    return running.start(command, bounds, (request) => this.#connection.execSql(request));
  }

  /** Runs several statements that change the session itself. */
  async batch(sql: string, bounds: Bounds): Promise<void> {
    const running = new Running(sql, () => {});
    const send = (request: Request) => this.#connection.execSqlBatch(request);
    await running.start({ sql, parameters: [] }, bounds, send).finished;
  }

  /** Statements outside a transaction see the data like this from now on. */
  async isolate(isolation: Isolation, bounds: Bounds): Promise<void> {
    if (this.#isolation === isolation) return;
    await this.batch(`set transaction isolation level ${isolation.replace("_", " ")}`, bounds);
    this.#isolation = isolation;
  }

  /** Begins a transaction; the session keeps its isolation. */
  async begin(isolation: Isolation, bounds: Bounds): Promise<void> {
    await this.#bounded(bounds, (done) => {
      this.#connection.beginTransaction(done, "", ISOLATION_LEVEL[isolation]);
    });
    this.#isolation = isolation;
  }

  commit(bounds: Bounds): Promise<void> {
    return this.#bounded(bounds, (done) => this.#connection.commitTransaction(done));
  }

  /** Rolls back what there is to roll back, some errors have done so already, and puts the session back. */
  rollback(bounds: Bounds, remedy?: string): Promise<void> {
    const rollback = "if @@trancount > 0 rollback transaction";
    return this.batch(remedy === undefined ? rollback : `${rollback}; ${remedy}`, bounds);
  }

  close(): void {
    this.#isOpen = false;
    this.#connection.close();
  }

  /** A transaction's beginning and end are no statements: one that does not answer in time costs the connection. */
  #bounded(
    { signal, limit, overdue }: Bounds,
    send: (done: (error?: Error | null) => void) => void,
  ): Promise<void> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const timer = limit > 0 ? setTimeout(() => fail(overdue()), limit) : undefined;
      const onAbort = () => fail(signal.reason);
      const fail = (reason: unknown) => {
        stop();
        this.close();
        reject(reason);
      };
      const stop = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      send((error) => {
        stop();
        if (error) reject(reported(error));
        else resolve();
      });
    });
  }
}

async function connect(configuration: ConnectionConfiguration): Promise<Connection> {
  const connection = new Connection(configuration);
  /** Of what the server has told. */
  let number: number | undefined;
  connection.on("errorMessage", (told) => number ??= told.number);
  const { promise, resolve } = Promise.withResolvers<Error | undefined>();
  connection.connect(resolve);
  const error = await promise;
  if (error) throw connectFailure(error, number);
  return connection;
}

/** A server that is starting, ending or full refuses every login; that is an outage. */
function connectFailure(error: Error, number: number | undefined): MssqlFailure {
  const isRefused = number !== undefined || (error instanceof ConnectionError && error.code === "ELOGIN");
  const known = number === NOT_MAPPED ? babelfishFailure(error.message) : NUMBERS.get(number ?? 0);
  const failure = isRefused && known !== "unavailable" ? "login" : "unavailable";
  // The driver names its own option.
  const message = error.message.replace(/, set 'encrypt' config option to `true`\.?/, "; set `ssl: true`");
  return new MssqlFailure(failure, `Cannot connect: ${message}`, { cause: error });
}

function boundsOfConnecting({ options }: ConnectionConfiguration): Bounds {
  return {
    signal: new AbortController().signal,
    limit: options?.connectTimeout ?? 0,
    overdue: () => new MssqlFailure("unavailable", "The server took too long to begin a session"),
  };
}
