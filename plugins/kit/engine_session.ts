/**
 * One connection of an engine in the pool of its database.
 *
 * @module
 */

import type { Engine, Log, Login, PoolSettings } from "@/plugins/contract.ts";
import { bounded } from "./bounded.ts";
import { DatabaseFailure, messageIn, silent } from "./database_failure.ts";
import { settlesWithin } from "./deadline.ts";
import type { PooledSession } from "./session_pool.ts";

/** Milliseconds between two interruptions of one statement: an engine may lose the first one. */
const AGAIN = 50;
/** Interruptions of one statement before its connection is closed. */
const MOST = 100;

/** A session; its user has it exclusively. */
export class EngineSession<Connection> implements PooledSession {
  /** A saved query was run since the last reset, which may have changed the connection. */
  hasRunQuery = false;
  /** A stream was run since the last reset. */
  hasStreamed = false;
  /**
   * The last statement outside transactions was a write: an engine may have to
   * switch between reading and writing.
   */
  hasJustWritten = false;
  readonly engine: Engine<Connection>;
  readonly #connection: Connection;
  readonly #log: Log;
  #running: Promise<unknown> = Promise.resolve();
  #isEnded = false;
  #reason: { readonly reason: unknown } | undefined;

  constructor(engine: Engine<Connection>, connection: Connection, log: Log) {
    this.engine = engine;
    this.#connection = connection;
    this.#log = log;
  }

  get alive(): boolean {
    return !this.#isEnded && (this.engine.isAlive?.(this.#connection) ?? true);
  }

  /** Work of the engine on the connection; the caller limits it. Work that was given up goes no further. */
  run<T>(work: (connection: Connection) => T | Promise<T>): Promise<T> {
    if (this.#isEnded) return Promise.reject(new DatabaseFailure("unavailable", "The connection was ended"));
    let running: Promise<T>;
    try {
      running = Promise.resolve(work(this.#connection));
    } catch (error) {
      running = Promise.reject(error);
    }
    this.#running = running;
    return running;
  }

  /** The reason for which work has failed: an engine only says that it was interrupted. */
  reasonOf(error: unknown): unknown {
    return this.#reason ? this.#reason.reason : error;
  }

  /** Undefined if the connection is as it was opened. Rejects if it cannot be made so. */
  reset(): Promise<void> | undefined {
    if (!this.hasRunQuery && !this.hasStreamed) return undefined;
    const isUnknown = this.hasRunQuery && !this.engine.reset;
    this.hasRunQuery = this.hasStreamed = false;
    if (isUnknown) return Promise.reject(new Error("The engine has no reset"));
    return this.engine.reset && this.#resetNow(this.engine.reset.bind(this.engine));
  }

  /** A reset that throws rejects: the connection is closed, and the answer that was read on it is whole. */
  #resetNow(reset: NonNullable<Engine<Connection>["reset"]>): Promise<void> | undefined {
    const failed = (error: unknown) => {
      // Its pool may have ended it meanwhile.
      if (!this.#isEnded) this.#log.warn(`A connection could not be reset: ${messageIn(error)}`);
      throw error;
    };
    try {
      const work: unknown = reset(this.#connection);
      return work === undefined ? undefined : Promise.resolve(work).then(() => {}, failed);
    } catch (error) {
      return Promise.reject(error).catch(failed);
    }
  }

  async end(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    await this.#attempt(() => this.engine.close(this.#connection));
  }

  /** Ends it with its running statement. Never rejects. */
  async stop(reason: unknown): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#reason = { reason };
    if (this.engine.interrupt) await this.#attempt(() => this.#interrupt());
    await this.#attempt(() => this.engine.close(this.#connection, reason));
  }

  async #interrupt(): Promise<void> {
    const settled = this.#running.catch(() => {});
    for (let tries = 0; tries < MOST; tries++) {
      if (await settlesWithin(settled, tries === 0 ? 0 : AGAIN)) return;
      await this.engine.interrupt?.(this.#connection);
    }
  }

  async #attempt(work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#log.warn(`A connection could not be ended: ${messageIn(error)}`);
    }
  }
}

/** The login and the limits that connections are opened with. */
export interface SessionOptions {
  readonly login: Login;
  readonly log: Log;
  readonly settings: PoolSettings;
}

/**
 * Opens a connection within the time that a caller may wait for one. A
 * connection that comes too late is closed.
 */
export async function openSession<Connection>(
  engine: Engine<Connection>,
  { login, log, settings: { acquireTimeout: seconds } }: SessionOptions,
  signal: AbortSignal,
): Promise<EngineSession<Connection>> {
  const given = new AbortController();
  const opening = Promise.try(() => engine.open(login, given.signal))
    .then((connection) => new EngineSession(engine, connection, log));
  return await bounded(opening, {
    signal,
    seconds,
    expired: () => silent(seconds),
    giveUp(reason) {
      given.abort(reason);
      opening.then((late) => late.stop(reason), () => {});
    },
  });
}
