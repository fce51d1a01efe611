/**
 * One connection. Statements that are sent before others have answered run one after another, in the order in which they were
 * sent, and without waiting for anything in between.
 *
 * @module
 */

import type { Socket } from "node:net";
import type { Row } from "@/plugins/contract.ts";
import { Bound } from "./bound.ts";
import { bounded } from "@/plugins/kit/bounded.ts";
import { drive, type Driver } from "./driver.ts";
import { type Backend, requestCancel } from "./cancel_request.ts";
import { type Address, dial } from "./dial.ts";
import { explainInternal, explainRefusal, PostgresFailure } from "./failures.ts";
import { within } from "./within.ts";

/** What a lane needs to know to be opened. */
export interface LaneOptions {
  readonly address: Address;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** What a statement gave. */
export interface Answer {
  readonly rows: Row[];
  /** Rows that it inserted, changed or deleted. */
  readonly changes: number;
}

/** A column of a result. */
export interface Field {
  readonly name: string;
  /** The identifier of its type. */
  readonly type: number;
}

/** A statement on its way. */
export interface Sent {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly prepare: boolean;
}

/** Who waits for the answer; one of the two is called, once. */
export interface Receiver {
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** Statements that a lane keeps prepared; with more it is replaced when nobody uses it. */
const MAX_PREPARED = 500;
/** Longer statements are rarely seen twice: inserts of many rows. */
const MAX_PREPARED_LENGTH = 4096;
/** Seconds that a server has to let somebody in. */
const PATIENCE = 10;
/** Milliseconds after which a server that goes on is asked once more to give up. */
const AGAIN = 500;
/** Milliseconds that a server has to end a connection by itself. */
const FAREWELL = 1000;

const NEVER: AbortSignal = new AbortController().signal;

const CHANGING: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

/** Opened by the pool, which alone decides who may use it. */
export class Lane {
  /** Statements under way. */
  users = 0;
  /** Nobody else may send statements. */
  exclusive = false;
  /** Not to be used again once its statements have ended. */
  condemned = false;
  /** When its last statement ended, as {@link performance.now} counts. */
  idleSince = 0;
  /** When its last reader got an answer. */
  answeredAt = 0;
  onClose: () => void = () => {};
  readonly #options: LaneOptions;
  readonly #socket: Socket;
  readonly #driver: Driver;
  readonly #prepared = new Set<string>();
  readonly #closed = Promise.withResolvers<void>();
  /** Statements that the driver has not sent yet when the connection is lost it forgets; nobody shall wait for them. */
  readonly #unanswered = new Set<(reason: unknown) => void>();
  /** Who waits for all of them to be answered. */
  readonly #quiet = new Set<() => void>();
  #isCancelling = false;
  #backend: Backend | undefined;
  #alive = true;

  /** Connects. Rejects with the failure `login` where the server refuses the login. */
  static async open(options: LaneOptions): Promise<Lane> {
    // The driver would take the operating system's user, or a name of the environment.
    if (options.user === "") {
      throw new PostgresFailure("login", "There is no database login: dbuser is empty");
    }
    const lane = new Lane(options, await dial(options.address));
    try {
      await bounded(Promise.race([lane.#greet(), lane.#lost()]), {
        signal: NEVER,
        seconds: PATIENCE,
        expired: () => new PostgresFailure("unavailable", "The server does not answer"),
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
    this.#driver = drive({ ...options, socket, onClose });
    // The driver listens only from its first statement on.
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#closed.resolve();
      onClose();
    });
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** True when it should be replaced by a fresh one. */
  get isWorn(): boolean {
    return this.condemned || this.#prepared.size > MAX_PREPARED;
  }

  /** Runs a statement with parameters; prepared where it is likely to come again. */
  run(sql: string, parameters: readonly unknown[], prepare: boolean): Promise<Answer> {
    return new Promise((resolve, reject) => this.send({ sql, parameters, prepare }, { resolve, reject }));
  }

  /** The same without a promise of its own, for what runs often. */
  send({ sql, parameters, prepare }: Sent, { resolve, reject }: Receiver): void {
    if (!this.#alive) return reject(lost());
    const options = { prepare: prepare && this.#mayPrepare(sql), simple: false } as object;
    const query = this.#driver.unsafe(sql, this.#bind(parameters), options).values();
    this.#unanswered.add(reject);
    query.then((result) => {
      this.#forget(reject);
      resolve({ rows: result.slice() as Row[], changes: CHANGING.has(result.command) ? result.count : 0 });
    }, (error) => {
      this.#forget(reject);
      reject(parameters.length > 0 ? explainInternal(error) : error);
    });
  }

  /** The columns of what a statement would give; `types` are those of its parameters, 0 where the server finds it. */
  async describe(sql: string, types: readonly number[]): Promise<readonly Field[]> {
    if (!this.#alive) throw lost();
    const bound = this.#bind(types.map((oid) => oid === 0 ? null : new Bound(null, oid)));
    const query = this.#driver.unsafe(sql, bound, { prepare: false, simple: false } as object);
    const { promise, resolve, reject } = Promise.withResolvers<readonly Field[]>();
    this.#unanswered.add(reject);
    query.describe().then(({ columns }) => {
      // The driver has none where there are no rows.
      resolve((columns ?? []).map(({ name, type }) => ({ name, type })));
    }, reject);
    return await promise.finally(() => this.#forget(reject));
  }

  /** Runs a statement without parameters or rows. */
  async command(sql: string): Promise<void> {
    if (!this.#alive) throw lost();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#unanswered.add(reject);
    this.#driver.unsafe(sql).then(() => resolve(), reject);
    await promise.finally(() => this.#forget(reject));
  }

  /**
   * Asks the server to give up what is running; the lane is not used again, because the request may come late. It may also
   * come early, before a busy server has begun what it is meant for: then it is lost, and asked again.
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
    try {
      await requestCancel(this.#options.address, this.#backend);
    } catch {
      // A server that takes no connection cannot be asked: the statement ends with the connection.
      this.destroy();
    }
  }

  /** Ends the connection at once; statements under way fail. */
  destroy(): void {
    this.condemned = true;
    this.#socket.destroy();
    this.#end();
  }

  /**
   * Ends what is running, and then the connection. Not both at once: PgBouncer before 1.19 crashes when a client leaves while
   * its request to cancel is under way.
   */
  async abandon(): Promise<void> {
    this.condemned = true;
    await this.#requestCancel();
    await this.#waitForQuiet(FAREWELL);
    this.destroy();
    await this.#closed.promise;
  }

  /** Says goodbye to the server. */
  async close(): Promise<void> {
    this.condemned = true;
    if (this.#alive) await this.#driver.end({ timeout: FAREWELL / 1000 });
    await within(this.#closed.promise, FAREWELL);
    this.destroy();
    await this.#closed.promise;
  }

  async #lost(): Promise<never> {
    await this.#closed.promise;
    throw new PostgresFailure("unavailable", "The server closed the connection");
  }

  async #greet(): Promise<void> {
    const result = await this.#driver.unsafe("SELECT 1");
    this.#backend = result.state as unknown as Backend;
  }

  #forget(reject: (reason: unknown) => void): void {
    this.#unanswered.delete(reject);
    if (this.#unanswered.size === 0) this.#becomeQuiet();
  }

  #becomeQuiet(): void {
    for (const resolve of this.#quiet) resolve();
    this.#quiet.clear();
  }

  async #waitForQuiet(milliseconds: number): Promise<void> {
    if (this.#unanswered.size === 0) return;
    const quiet = Promise.withResolvers<void>();
    this.#quiet.add(quiet.resolve);
    await within(quiet.promise, milliseconds);
    this.#quiet.delete(quiet.resolve);
  }

  #mayPrepare(sql: string): boolean {
    if (sql.length > MAX_PREPARED_LENGTH) return false;
    this.#prepared.add(sql);
    return true;
  }

  /** The driver's type of parameters lists what its own conversions take; these are switched off. */
  #bind(parameters: readonly unknown[]): never[] {
    return parameters.map((value) => {
      return (value instanceof Bound ? this.#driver.typed(value.text as never, value.oid) : value) as never;
    });
  }

  #end(): void {
    if (!this.#alive) return;
    this.#alive = false;
    for (const reject of this.#unanswered) reject(lost());
    this.#unanswered.clear();
    this.#becomeQuiet();
    this.onClose();
  }
}

/** What statements under way end with when the server or the network ends their connection. */
export function lost(): PostgresFailure {
  return new PostgresFailure("unavailable", "The connection to the server was lost");
}
