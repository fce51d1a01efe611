/**
 * A separate connection that works while all others are busy: it ends connections whose statement has no
 * waiting caller, and checks the server.
 *
 * @module
 */

import type { Log } from "@/plugins/contract.ts";
import { bounded, NEVER } from "@/plugins/kit/bounded.ts";
import { messageIn, silent } from "@/plugins/kit/database_failure.ts";
import { SessionPool } from "@/plugins/kit/session_pool.ts";
import { numberOf } from "./failures.ts";
import type { Answer, Session } from "./session.ts";

/** Seconds that one question may take. */
const PATIENCE = 5;
/** The connection to end has ended already. */
const UNKNOWN_THREAD = 1094;

/** Connects at the first question and stays connected. Questions wait for each other. */
export class Control extends SessionPool<Session> {
  readonly #log: Log;

  /** `open`: opens a connection under the login whose connections it ends. */
  constructor(open: () => Promise<Session>, log: Log) {
    super({
      settings: { max: 1, acquireTimeout: 0, idleTimeout: Infinity },
      busy: silent(PATIENCE).message,
      open,
      stop: (session, reason) => Promise.resolve(session.destroy(reason)),
    });
    this.#log = log;
  }

  /** Ends a connection of this login, with its statement. Never throws: the server may be gone. */
  async kill(id: number): Promise<void> {
    try {
      await this.ask(`KILL ${id}`);
    } catch (error) {
      if (numberOf(error) === UNKNOWN_THREAD) return;
      this.#log.warn(`Connection ${id} of MySQL could not be ended: ${messageIn(error)}`);
    }
  }

  async ask(sql: string): Promise<Answer> {
    const session = await this.acquire(NEVER);
    try {
      return await bounded(session.ask(sql), {
        seconds: PATIENCE,
        expired: () => silent(PATIENCE),
        giveUp: (reason) => this.discard(session, reason),
      });
    } finally {
      this.release(session);
    }
  }
}
