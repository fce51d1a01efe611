/**
 * The sessions of one login: connections or workers, each for one caller at a time.
 *
 * @module
 */

import type { PoolSettings } from "@/plugins/contract.ts";
import { bounded, boundedLater, type Bounds, milliseconds } from "./bounded.ts";
import { DatabaseFailure, disconnected } from "./database_failure.ts";

/** Seconds that it may take to make a session ready for others. */
const PATIENCE = 5;

/** A session as its pool sees it. */
export interface PooledSession {
  /** False when no statement can be run any more. */
  readonly alive: boolean;
  /** Ends a session that does nothing. */
  end(): Promise<void>;
}

/** How sessions are made and stopped, and how many there may be. */
export interface PoolOptions<Session> {
  readonly settings: Pick<PoolSettings, "max" | "acquireTimeout" | "idleTimeout">;
  /** The message of {@link PoolBusy}. */
  readonly busy: string;
  /** Opens a session that is ready for statements. */
  open(): Promise<Session>;
  /** Takes back the changes that a caller has made to a session; undefined where there are none. */
  reset?(session: Session): Promise<void> | undefined;
  /** Ends a session and its work; it is not alive from now on. Must not reject. */
  stop(session: Session, reason: unknown): Promise<void>;
}

/** No session was free in time; the database may be well. */
export class PoolBusy extends DatabaseFailure {
  constructor(message: string) {
    super("unavailable", message);
    this.name = "PoolBusy";
  }
}

/** Sessions are opened when they are needed, up to `max`; those that stay unused for a while are ended. */
export class SessionPool<Session extends PooledSession> implements AsyncDisposable {
  readonly #options: PoolOptions<Session>;
  readonly #sessions = new Set<Session>();
  /** Unused sessions in the order of their release. */
  readonly #idle: { readonly session: Session; readonly since: number }[] = [];
  readonly #waiting: PromiseWithResolvers<Session>[] = [];
  readonly #ending = new Set<Promise<void>>();
  #sweeping: ReturnType<typeof setTimeout> | undefined;
  #opening = 0;
  #closed = false;

  constructor(options: PoolOptions<Session>) {
    this.#options = options;
  }

  /** The idle session that was used last, whose caches are the warmest. */
  take(): Session | undefined {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (idle.session.alive) return idle.session;
      this.discard(idle.session);
    }
    return undefined;
  }

  /**
   * Gives a session for exclusive use; it goes back with {@link release} or, when in doubt, {@link discard}. Rejects with a
   * {@link PoolBusy} when none is free within as many seconds.
   */
  async acquire(signal: AbortSignal, seconds?: number): Promise<Session> {
    signal.throwIfAborted();
    const session = this.#next();
    if (session) return session;
    const turn = this.#queue();
    return await bounded(turn.promise, { ...this.#bounds(turn, seconds), signal });
  }

  /** The same where the wait is usually short: makes the signal only after a long wait. */
  acquireSoon(signal: () => AbortSignal): Session | Promise<Session> {
    const session = this.#next();
    if (session) return session;
    const turn = this.#queue();
    return boundedLater(turn.promise, this.#bounds(turn), signal);
  }

  /** A session that needs a reset is free after it; its caller does not wait for that. */
  release(session: Session): void {
    if (!session.alive || this.#closed) return this.discard(session);
    const reset = this.#options.reset?.(session);
    if (reset) return this.recycle(session, () => reset);
    const next = this.#waiting.shift();
    if (next) return next.resolve(session);
    this.#idle.push({ session, since: performance.now() });
    this.#sweepLater();
  }

  /** Releases a session once it has been tidied. A failure to tidy it, also in time, ends it. */
  recycle(session: Session, tidy: () => Promise<void>): void {
    if (!session.alive || this.#closed) return this.discard(session);
    const work = bounded(tidy(), {
      seconds: PATIENCE,
      expired: () => new DatabaseFailure("unavailable", "The server does not answer"),
      giveUp: (reason) => this.discard(session, reason),
    });
    this.#track(work.then(() => this.release(session), () => this.discard(session)));
  }

  /** Ends a session at once, together with the work that it still does. */
  discard(session: Session, reason: unknown = disconnected()): void {
    if (!this.#sessions.delete(session)) return;
    this.#track(this.#options.stop(session, reason));
    if (!this.#closed) this.#fill();
  }

  /** Ends every session; work under way fails. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#sweeping);
    for (const turn of this.#waiting.splice(0)) turn.reject(disconnected());
    for (const { session } of this.#idle.splice(0)) this.#retire(session);
    for (const session of this.#sessions) this.discard(session);
    while (this.#ending.size > 0) await Promise.all(this.#ending);
  }

  #next(): Session | undefined {
    if (this.#closed) throw disconnected();
    return this.take();
  }

  #queue(): PromiseWithResolvers<Session> {
    const turn = Promise.withResolvers<Session>();
    this.#waiting.push(turn);
    this.#fill();
    return turn;
  }

  #bounds(turn: PromiseWithResolvers<Session>, seconds = this.#options.settings.acquireTimeout): Bounds {
    return {
      seconds,
      expired: () => new PoolBusy(this.#options.busy),
      giveUp: () => this.#leave(turn),
    };
  }

  #leave(turn: PromiseWithResolvers<Session>): void {
    const at = this.#waiting.indexOf(turn);
    if (at >= 0) this.#waiting.splice(at, 1);
    // Its turn has just come: the session goes to the next caller, and a failure to open one concerns no caller.
    else turn.promise.then((session) => this.release(session), () => {});
  }

  /** Opens as many sessions as callers wait for. */
  #fill(): void {
    const max = Math.max(1, this.#options.settings.max);
    while (this.#opening < this.#waiting.length && this.#sessions.size + this.#opening < max) {
      this.#opening++;
      this.#track(this.#add());
    }
  }

  /** The caller that waits longest gets the session, or the reason why there is none. */
  async #add(): Promise<void> {
    try {
      const session = await this.#options.open();
      this.#opening--;
      this.#sessions.add(session);
      this.release(session);
    } catch (error) {
      this.#opening--;
      this.#waiting.shift()?.reject(error);
      this.#fill();
    }
  }

  #sweepLater(): void {
    const [oldest] = this.#idle;
    if (!oldest || this.#sweeping !== undefined) return;
    const rest = oldest.since - performance.now() + milliseconds(this.#options.settings.idleTimeout);
    this.#sweeping = setTimeout(() => this.#sweep(), Math.max(1, rest));
    this.#sweeping.unref();
  }

  #sweep(): void {
    this.#sweeping = undefined;
    const latest = performance.now() - milliseconds(this.#options.settings.idleTimeout);
    const kept = this.#idle.findIndex(({ since }) => since > latest);
    for (const { session } of this.#idle.splice(0, kept < 0 ? this.#idle.length : kept)) {
      this.#retire(session);
    }
    this.#sweepLater();
  }

  #retire(session: Session): void {
    if (this.#sessions.delete(session)) this.#track(session.end());
  }

  #track(ending: Promise<void>): void {
    const tracked = ending.finally(() => this.#ending.delete(tracked));
    this.#ending.add(tracked);
  }
}
