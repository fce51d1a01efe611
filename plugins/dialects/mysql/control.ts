/**
 * A connection of its own for what must work while all others are busy: to end a connection whose statement nobody waits for
 * any more, and to look whether the server is there.
 *
 * @module
 */

import { bounded, type Bounds } from "@/plugins/kit/bounded.ts";
import type { Answer } from "./answer.ts";
import { MysqlFailure, numberOf } from "./failures.ts";
import type { Session } from "./session.ts";

/** How that connection is opened, and how long it is waited for. */
export interface ControlOptions {
  /** Opens a connection under the login whose connections are looked after. */
  open(): Promise<Session>;
  /** Seconds that one question may take. */
  readonly patience: number;
  warn(message: string): void;
}

/** The connection that was to be ended has ended by itself. */
const UNKNOWN_THREAD = 1094;
const NEVER: AbortSignal = new AbortController().signal;

/** Connects when it is first asked. Questions wait for each other. */
export class Control {
  readonly #options: ControlOptions;
  #session: Promise<Session> | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(options: ControlOptions) {
    this.#options = options;
  }

  /** Ends a connection of this login, and with it what it runs. Never throws: there may be no server any more. */
  async kill(id: number): Promise<void> {
    try {
      await this.ask(`KILL ${id}`);
    } catch (error) {
      if (numberOf(error) === UNKNOWN_THREAD) return;
      this.#options.warn(
        `Connection ${id} of MySQL could not be ended: ${error instanceof Error ? error.message : error}`,
      );
    }
  }

  /** Asks one question after the other. */
  ask(sql: string): Promise<Answer> {
    const answer = this.#turn.then(() => this.#ask(sql));
    this.#turn = answer.catch(() => {});
    return answer;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#turn;
    const session = await this.#session?.catch(() => undefined);
    await session?.end();
  }

  async #ask(sql: string): Promise<Answer> {
    const session = await this.#ready();
    const bounds: Bounds = {
      signal: NEVER,
      seconds: this.#options.patience,
      expired: () => new MysqlFailure("unavailable", "The server does not answer"),
      giveUp: (reason) => session.destroy(reason),
    };
    return await bounded(session.ask(sql), bounds);
  }

  async #ready(): Promise<Session> {
    const session = await this.#session?.catch(() => undefined);
    if (session?.alive) return session;
    if (this.#closed) throw new MysqlFailure("unavailable", "The database has been disconnected");
    this.#session = this.#options.open();
    return await this.#session;
  }
}
