/**
 * The connections of one login.
 *
 * @module
 */

import { Pool } from "tarn";
import type { PoolSettings } from "@/plugins/contract.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { Session, type SessionSettings } from "./session.ts";
import { Turns } from "@/plugins/kit/turns.ts";

/** Milliseconds: what a timer holds. */
const FOREVER = 2 ** 31 - 1;

/** Connections that are left for what is no stream, where there are as many: a client may read as slowly as it likes. */
const RESERVED = 2;

/** None of the connections was free in time; the server may be well. */
export class PoolBusy extends DatabaseFailure {
  constructor(cause: unknown) {
    super("unavailable", "All connections are busy", { cause });
    this.name = "PoolBusy";
  }
}

/** Connections are opened when they are needed, up to `max`. Each has one user at a time. */
export class SessionPool implements AsyncDisposable {
  readonly #pool: Pool<Session>;
  readonly #limit: number;
  /** How many streams may be read at the same time. */
  readonly streams: Turns;

  constructor(settings: PoolSettings, session: SessionSettings) {
    this.#limit = milliseconds(settings.acquireTimeout) / 1000;
    this.streams = new Turns({
      max: Math.max(1, settings.max - RESERVED),
      seconds: this.#limit,
      busy: () => new PoolBusy(undefined),
    });
    this.#pool = new Pool<Session>({
      create: () => Session.open(session),
      destroy: (each) => each.close(),
      validate: (each) => each.isOpen,
      min: 0,
      max: settings.max,
      // Waiting has a limit that depends on who waits.
      acquireTimeoutMillis: FOREVER,
      // Connecting has a limit of its own, which tells more of what went wrong.
      createTimeoutMillis: FOREVER,
      idleTimeoutMillis: milliseconds(settings.idleTimeout),
      propagateCreateError: true,
    });
  }

  /**
   * A session of one's own, to be given back by {@link release}. Rejects with a {@link PoolBusy} when none is free within
   * as many seconds.
   */
  async acquire(signal: AbortSignal, seconds = this.#limit): Promise<Session> {
    signal.throwIfAborted();
    const pending = this.#pool.acquire();
    let isOverdue = false;
    const onAbort = () => pending.abort();
    const timer = setTimeout(() => {
      isOverdue = true;
      pending.abort();
    }, seconds * 1000);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await pending.promise;
    } catch (error) {
      signal.throwIfAborted();
      throw isOverdue ? new PoolBusy(error) : error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** A session in which a saved query ran is reset before others get it; no caller waits for that. */
  release(session: Session): void {
    if (!session.isOpen || !session.needsReset) this.#pool.release(session);
    else void session.reset().then(() => this.#pool.release(session));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.destroy();
  }
}

function milliseconds(seconds: number): number {
  return seconds > 0 ? Math.min(seconds * 1000, FOREVER) : FOREVER;
}
