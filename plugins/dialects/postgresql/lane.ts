/**
 * One connection. Statements sent before others are answered run one after another, in the order of
 * sending, without waits in between.
 *
 * @module
 */

import type { Socket } from "node:net";
import type { Row } from "@/plugins/contract.ts";
import { Bag, type Bagged } from "@/plugins/kit/bag.ts";
import { bounded } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure, silent } from "@/plugins/kit/database_failure.ts";
import { settlesWithin } from "@/plugins/kit/deadline.ts";
import { type Backend, dial, requestCancel, requireProtocol } from "./dial.ts";
import { drive, type Driver, type LaneOptions } from "./driver.ts";
import { explainInternal, explainRefusal, lost } from "./failures.ts";
import { Bound } from "./forms.ts";

/** The result of a statement. */
export interface Answer {
  readonly rows: Row[];
  /** Number of inserted, changed or deleted rows. */
  readonly changes: number;
}

/** A column of a result. */
export interface Field {
  readonly name: string;
  /** The OID of its type. */
  readonly type: number;
}

/** One of the two functions is called, once. */
interface Receiver {
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

type Unanswered = Pick<Receiver, "reject"> & Bagged;

/** Prepared statements of a lane; above this number it is replaced once it is unused. */
const MAX_PREPARED = 500;
/** Longer statements, such as inserts of many rows, are rarely repeated. */
const MAX_PREPARED_LENGTH = 4096;
/** Seconds that a server has to accept a login. */
const PATIENCE = 10;
/** Milliseconds after which an ignored request to cancel is repeated. */
const AGAIN = 500;
/** Milliseconds that a server has to end a connection. */
const FAREWELL = 1000;

const CHANGING: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);
const UNLOCK = "SELECT pg_catalog.pg_advisory_unlock_all()";
/** Ends a transaction, and locks that outlive it. Behind a pooler nothing else can be undone. */
const FORGET = `ROLLBACK; ${UNLOCK}`;
/** `DISCARD ALL` except prepared statements, which the driver still knows. */
const RESET = "RESET ALL; SET SESSION AUTHORIZATION DEFAULT; CLOSE ALL; UNLISTEN *; DISCARD TEMP; " +
  `DISCARD PLANS; DISCARD SEQUENCES; ${UNLOCK}`;

/** The pool opens it, and decides who may use it. */
export class Lane {
  /** Number of running statements. */
  users = 0;
  /** No other caller may send statements. */
  exclusive = false;
  /** Not to be used again once its statements have ended. */
  condemned = false;
  /** A saved query may have changed the session. Tables and views are read and changed without a reset. */
  needsReset = false;
  /** The end of its last statement, in milliseconds of {@link performance.now}. */
  idleSince = 0;
  /** The time of the last answer to a lone statement, or of the first one that has no answer yet. */
  answeredAt = 0;
  onClose: () => void = () => {};
  readonly #options: LaneOptions;
  readonly #socket: Socket;
  readonly #driver: Driver;
  readonly #prepared = new Set<string>();
  readonly #closed = Promise.withResolvers<void>();
  /** The driver drops unsent statements when the connection is lost; their callers must be rejected here. */
  readonly #unanswered = new Bag<Unanswered>();
  /** Resolves when all statements are answered. */
  #quiet: PromiseWithResolvers<void> | undefined;
  #isCancelling = false;
  /** A request to cancel that is on its way, on a connection of its own. */
  #request: Promise<void> | undefined;
  #mayWrite = false;
  #backend: Backend | undefined;
  #alive = true;

  /** Connects. Rejects with the failure `login` if the server refuses the login. */
  static async open(options: LaneOptions): Promise<Lane> {
    // The driver would use the operating system's user, or a name of the environment.
    if (options.user === "") {
      throw new DatabaseFailure("login", "There is no database login: autoload_user has no dbuser");
    }
    const lane = new Lane(options, await dial(options.address));
    try {
      const closed = lane.#closed.promise.then(() => {
        throw new DatabaseFailure("unavailable", "The server closed the connection");
      });
      await bounded(Promise.race([lane.#greet(), closed, requireProtocol(lane.#socket)]), {
        seconds: PATIENCE,
        expired: () => silent(PATIENCE),
        giveUp: () => lane.destroy(),
      });
      return lane;
    } catch (error) {
      lane.destroy();
      throw explainRefusal(error);
    }
  }

  private constructor(options: LaneOptions, socket: Socket) {
    this.#options = options;
    this.#socket = socket;
    const onClose = () => this.#end();
    this.#driver = drive(socket, options, onClose);
    // The driver only listens from its first statement on.
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#closed.resolve();
      onClose();
    });
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Whether statements outside transactions may write. */
  get mayWrite(): boolean {
    return this.#mayWrite;
  }

  /** Ends a transaction with everything that it did. */
  get forget(): string {
    return this.#options.reset === undefined ? FORGET : "ROLLBACK";
  }

  /** Sets {@link mayWrite} for statements that are sent later. Does not wait, because they also run later. */
  permit(writing: boolean): void {
    if (this.#mayWrite === writing) return;
    this.#mayWrite = writing;
    this.command(`SET default_transaction_read_only = ${writing ? "off" : "on"}`).catch(() => this.destroy());
  }

  /** True if it should be replaced by a new one. */
  get isWorn(): boolean {
    return !this.#alive || this.condemned || this.#prepared.size > MAX_PREPARED;
  }

  /** Runs a statement with parameters; prepared if it is likely to be repeated. */
  run(sql: string, parameters: readonly unknown[], prepare: boolean): Promise<Answer> {
    return new Promise((resolve, reject) => this.send(sql, parameters, prepare, { resolve, reject }));
  }

  /** Like {@link run} without a promise, for frequent statements. */
  send(sql: string, parameters: readonly unknown[], prepare: boolean, { resolve, reject }: Receiver): void {
    if (!this.#alive) return reject(lost());
    const options = { prepare: prepare && this.#mayPrepare(sql), simple: false } as object;
    const query = this.#driver.unsafe(sql, this.#bind(parameters), options).values();
    this.#await(query, (result) => {
      // After a statement that failed among its rows, the driver leaves their places empty.
      const first = result.findIndex((row) => row !== undefined);
      const rows = result.slice(first) as Row[];
      resolve({ rows, changes: CHANGING.has(result.command) ? result.count : 0 });
    }, (error) => reject(parameters.length > 0 ? explainInternal(error) : error));
  }

  /** The columns of a statement's result; `types` are those of its parameters, 0 if the server infers one. */
  async describe(sql: string, types: readonly number[]): Promise<readonly Field[]> {
    const bound = this.#bind(types.map((oid) => oid === 0 ? null : new Bound(null, oid)));
    const query = this.#driver.unsafe(sql, bound, { prepare: false, simple: false } as object);
    const { columns } = await this.#ask(() => query.describe());
    // The driver has none for a statement without rows.
    return (columns ?? []).map(({ name, type }) => ({ name, type }));
  }

  /** Begins a transaction of this kind: `READ ONLY`. */
  begin(how: string): Promise<void> {
    return this.command(`BEGIN ${how}${this.#options.onBegin ?? ""}`);
  }

  /** Runs a statement without parameters or rows. */
  async command(sql: string): Promise<void> {
    await this.#ask(() => this.#driver.unsafe(sql));
  }

  /** Takes back what a saved query may have changed: settings, roles, locks, temporary tables. */
  async reset(): Promise<void> {
    this.needsReset = false;
    this.#mayWrite = false;
    await this.command(this.#options.reset ?? RESET).catch(() => this.destroy());
  }

  /**
   * Asks the server to cancel the running statement. The lane is not used again, because the
   * request may arrive late. It may also arrive early, before a busy server has begun the
   * statement: then it has no effect and is repeated.
   */
  async cancel(): Promise<void> {
    this.condemned = true;
    if (this.#isCancelling) return;
    this.#isCancelling = true;
    while (this.#alive && this.#unanswered.size > 0) {
      await this.#requestCancel();
      await this.#waitForQuiet(AGAIN);
    }
    this.#isCancelling = false;
  }

  async #requestCancel(): Promise<void> {
    if (!this.#alive || !this.#backend) return;
    // A server that accepts no connection cannot be asked: the statement ends with the connection.
    this.#request ??= requestCancel(this.#options.address, this.#backend).catch(() => this.destroy())
      .finally(() => this.#request = undefined);
    await this.#request;
  }

  /** Ends the connection at once; running statements fail. */
  destroy(): void {
    this.condemned = true;
    this.#socket.destroy();
    this.#end();
  }

  /**
   * Cancels the running statement, then ends the connection. Not both at once: PgBouncer before 1.19 crashes
   * when a client disconnects during its request to cancel.
   */
  async abandon(): Promise<void> {
    this.condemned = true;
    await this.#requestCancel();
    await this.#waitForQuiet(FAREWELL);
    this.destroy();
    await this.#waitForClose();
  }

  /** Ends the connection gracefully. */
  async close(): Promise<void> {
    this.condemned = true;
    if (this.#alive) await this.#driver.end({ timeout: FAREWELL / 1000 });
    await settlesWithin(this.#closed.promise, FAREWELL);
    this.destroy();
    await this.#waitForClose();
  }

  /** Also waits for a request to cancel that the server has obeyed, but whose connection is still open. */
  async #waitForClose(): Promise<void> {
    await this.#closed.promise;
    await this.#request;
  }

  async #greet(): Promise<void> {
    const result = await this.#driver.unsafe("SELECT 1");
    this.#backend = result.state as unknown as Backend;
  }

  #ask<T>(query: () => PromiseLike<T>): Promise<T> {
    if (!this.#alive) return Promise.reject(lost());
    return new Promise((resolve, reject) => this.#await(query(), resolve, reject));
  }

  /** Calls one of the functions, once: the driver answers the statements of a lost connection, too. */
  #await<T>(query: PromiseLike<T>, resolve: (result: T) => void, reject: (error: unknown) => void): void {
    const unanswered = this.#unanswered.add({ reject, place: -1 });
    const isAwaited = () => {
      const isThere = this.#unanswered.delete(unanswered);
      if (this.#unanswered.size === 0) {
        this.#quiet?.resolve();
        this.#quiet = undefined;
      }
      return isThere;
    };
    query.then((result) => isAwaited() && resolve(result), (error) => isAwaited() && reject(error));
  }

  async #waitForQuiet(milliseconds: number): Promise<void> {
    if (this.#unanswered.size === 0) return;
    this.#quiet ??= Promise.withResolvers();
    await settlesWithin(this.#quiet.promise, milliseconds);
  }

  #mayPrepare(sql: string): boolean {
    if (sql.length > MAX_PREPARED_LENGTH) return false;
    this.#prepared.add(sql);
    return true;
  }

  /** The driver's type of parameters lists the input of its conversions, which are off. */
  #bind(parameters: readonly unknown[]): never[] {
    return parameters.map((value) => {
      return (value instanceof Bound ? this.#driver.typed(value.text as never, value.oid) : value) as never;
    });
  }

  #end(): void {
    if (!this.#alive) return;
    this.#alive = false;
    for (const { reject } of this.#unanswered) reject(lost());
    this.#unanswered.clear();
    this.#quiet?.resolve();
    this.onClose();
  }
}
