/**
 * One connection to the server. It runs one statement at a time, and notices its loss at once.
 *
 * @module
 */

import { connect, type Socket } from "node:net";
import { codeOf, DatabaseFailure, otherProtocol, silent } from "@/plugins/kit/database_failure.ts";
import type { PooledSession } from "@/plugins/kit/session_pool.ts";
import { RowQueue } from "@/plugins/kit/row_queue.ts";
import {
  type ConnectionOptions,
  createConnection,
  type DriverConnection,
  type Field,
  type Header,
} from "./driver.ts";
import { connectFailure } from "./failures.ts";
import { type Address, CHARSET } from "./options.ts";
import { bind } from "./stored.ts";

/** Milliseconds of silence before a check of the other side. */
const KEEP_ALIVE = 30_000;

/** A server speaks first: the first packet, which is version 10 of the protocol or an error. */
function isGreeting([, , , packet, kind]: Uint8Array): boolean {
  return packet === 0 && (kind === 10 || kind === 0xff);
}

/** The rows of a statement as they arrive, with their columns, which are known with the first rows. */
interface RowStream {
  readonly rows: RowQueue<unknown[]>;
  fields: readonly Field[];
}

/** Its user has it exclusively. */
export class Session implements PooledSession {
  readonly #connection: DriverConnection;
  readonly #socket: Socket;
  #interrupt: ((reason: unknown) => void) | undefined;
  #reason: { readonly error: unknown } | undefined;
  /** True after a saved query, which may leave variables, locks, settings, temporary tables and roles. */
  needsReset = false;
  isInTransaction = false;
  #settings = "";
  #mayWrite = false;

  private constructor(connection: DriverConnection, socket: Socket) {
    this.#connection = connection;
    this.#socket = socket;
    connection.on("error", (error) => this.destroy(error));
    socket.once(
      "close",
      () => this.destroy(new DatabaseFailure("unavailable", "The server has closed the connection")),
    );
  }

  /** Connects and logs in; fails as `login` or `unavailable`. */
  static async open(options: ConnectionOptions, address: Address): Promise<Session> {
    const socket = connect(address);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE);
    // Before the driver listens, an error of the socket must not end the program.
    socket.on("error", () => {});
    const connection = createConnection({ ...options, stream: () => socket });
    const session = new Session(connection, socket);
    socket.once("data", (bytes: Uint8Array) => isGreeting(bytes) || session.destroy(otherProtocol("MySQL")));
    try {
      await session.#ask<void>((resolve, fail) => {
        connection.connect((error) => error ? fail(error) : resolve());
      });
      return session;
    } catch (error) {
      session.destroy(error);
      // The driver's own limit has the same words as that of the system.
      if (codeOf(error) === "ETIMEDOUT") throw silent((options.connectTimeout ?? 0) / 1000);
      throw connectFailure(error);
    }
  }

  /** False once it is lost or ended. */
  get alive(): boolean {
    return this.#reason === undefined;
  }

  /** Lets statements outside transactions write, or read only. Undefined: nothing has to change. */
  permit(writing: boolean): Promise<void> | undefined {
    if (this.isInTransaction || this.#mayWrite === writing) return undefined;
    // MySQL and MariaDB have different names for the variable, but not for this.
    return this.command(`SET SESSION TRANSACTION READ ${writing ? "WRITE" : "ONLY"}`)
      .then(() => void (this.#mayWrite = writing));
  }

  get id(): number {
    return this.#connection.threadId;
  }

  /** Runs the statement that sets the session up for any caller; {@link reset} runs it again. */
  prepare(settings: string): Promise<void> {
    this.#settings = settings;
    return this.command(settings);
  }

  run(sql: string, parameters: readonly unknown[]): Promise<Answer> {
    return this.#ask((resolve, fail) => {
      const command = this.#connection.execute(
        { sql, values: bind(parameters) },
        (error, result, fields) => error ? fail(error) : resolve(answerOf(result, fields)),
      );
      command.on("fields", forgetNames);
    });
  }

  /** Runs a statement without values or rows, such as COMMIT, which is not worth preparing. */
  async command(sql: string): Promise<void> {
    await this.ask(sql);
  }

  /** Runs a query without values; not every server can prepare SHOW. */
  ask(sql: string): Promise<Answer> {
    return this.#ask((resolve, fail) => {
      this.#connection.query(
        sql,
        (error, result, fields) => error ? fail(error) : resolve(answerOf(result, fields)),
      );
    });
  }

  describe(sql: string): Promise<readonly Field[]> {
    return this.#ask((resolve, fail) => {
      this.#connection.prepare(sql, (error, statement) => {
        if (error) return fail(error);
        // The driver's types lack this member.
        resolve("columns" in statement && Array.isArray(statement.columns) ? statement.columns : []);
      });
    });
  }

  /** Begins to stream the rows of a statement. The session is in use until all of them were read. */
  stream(sql: string, parameters: readonly unknown[], fetchSize: number): RowStream {
    if (this.#reason) throw this.#reason.error;
    const rows = new RowQueue<unknown[]>(fetchSize, this.#connection);
    const stream: RowStream = { rows, fields: [] };
    const command = this.#connection.execute({ sql, values: bind(parameters) });
    command.on("fields", (fields?: readonly Field[]) => {
      forgetNames(fields);
      stream.fields = fields ?? [];
    });
    command.on("result", (row: unknown) => Array.isArray(row) && rows.push(row));
    command.on("error", (error: unknown) => rows.fail(error));
    command.on("end", () => rows.end());
    this.#interrupt = (reason) => rows.fail(reason);
    return stream;
  }

  /**
   * Restores the state after {@link prepare}. The protocol's RESET_CONNECTION would be quicker, but keeps the
   * roles that a caller has set, and the driver would keep an encoding that a caller has set.
   */
  async reset(): Promise<void> {
    await this.#ask<void>((resolve, fail) => {
      this.#connection.changeUser({ charset: CHARSET }, (error) => error ? fail(error) : resolve());
    });
    await this.command(this.#settings);
    this.#mayWrite = false;
    this.isInTransaction = false;
    this.needsReset = false;
  }

  async end(): Promise<void> {
    if (!this.alive) return;
    const closed = new Promise<void>((resolve) => this.#socket.once("close", () => resolve()));
    this.#connection.end();
    const timer = setTimeout(() => this.#socket.destroy(), 1000);
    await closed;
    clearTimeout(timer);
  }

  /** The driver never answers a query whose connection is lost; it then fails with the reason. */
  #ask<T>(question: (resolve: (value: T) => void, fail: (error: unknown) => void) => void): Promise<T> {
    if (this.#reason) return Promise.reject(this.#reason.error);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#interrupt = reject;
    question(resolve, (error) => {
      if (error instanceof Error && "fatal" in error && error.fatal === true) this.destroy(error);
      reject(error);
    });
    return promise;
  }

  /** Ends it at once; running work fails with the reason. */
  destroy(error: unknown): void {
    if (this.#reason) return;
    this.#reason = { error };
    this.#interrupt?.(error);
    this.#connection.destroy();
    this.#socket.destroy();
  }
}

/** The result of a statement: rows with their columns, or the number of changes. */
export type Answer =
  | { readonly rows: unknown[][]; readonly fields: readonly Field[] }
  | { readonly header: Header };

/**
 * A procedure may return several results, each with its fields, and a final header: the first result counts.
 */
function answerOf(result: unknown, fields: readonly (Field | readonly Field[] | undefined)[] = []): Answer {
  if (!Array.isArray(result)) return { header: result as Header };
  const first = fields.findIndex((each) => Array.isArray(each));
  if (first < 0) return { rows: result, fields: fields as readonly Field[] };
  return { rows: result[first], fields: fields[first] as readonly Field[] };
}

/** Rows are arrays, so the driver needs no names, and it fails at a column named `__proto__`. */
function forgetNames(fields: readonly Field[] | undefined): void {
  for (const field of fields ?? []) {
    field.label ??= field.name;
    field.name = "";
  }
}
