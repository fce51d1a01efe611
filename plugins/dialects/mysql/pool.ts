/**
 * The connections of one login. Each is used by one caller at a time; idle ones end after a while.
 *
 * @module
 */

import type { PoolSettings } from "@/plugins/contract.ts";
import { bounded, boundedLater, type Bounds } from "@/plugins/kit/bounded.ts";
import { MysqlFailure } from "./failures.ts";
import type { Session } from "./session.ts";

/** Seconds that it may take to make a connection ready for others. */
const PATIENCE = 5;
const NEVER: AbortSignal = new AbortController().signal;

interface Idle {
  readonly session: Session;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** How connections are made and ended, and how many there may be. */
export interface PoolOptions {
  readonly settings: PoolSettings;
  /** Opens a connection that is ready for statements. */
  open(): Promise<Session>;
  /** Makes a connection what {@link open} gives. */
  renew(session: Session): Promise<void>;
  /** Makes the server end what a connection runs. Never throws. */
  kill(id: number): Promise<void>;
}

/** Connections are opened when they are needed, up to `max`. */
export class SessionPool {
  readonly #options: PoolOptions;
  readonly #sessions = new Set<Session>();
  readonly #idle: Idle[] = [];
  readonly #waiting: PromiseWithResolvers<Session>[] = [];
  readonly #ending = new Set<Promise<void>>();
  #opening = 0;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** One that is idle, if there is one: the last that was used is the warmest, the others may expire. */
  take(): Session | undefined {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      clearTimeout(idle.timer);
      if (idle.session.alive) return idle.session;
      this.#forget(idle.session);
    }
    return undefined;
  }

  /** Gives a connection for exclusive use; it goes back with {@link release} or, when in doubt, {@link discard}. */
  async acquire(signal: AbortSignal): Promise<Session> {
    signal.throwIfAborted();
    const ready = this.#next();
    if (ready) return ready;
    const [turn, limits] = this.#queue();
    return await bounded(turn, { ...limits, signal });
  }

  /** The same for what is nearly always quick: the signal is not looked at until the wait has been long. */
  acquireSoon(signal: () => AbortSignal): Session | Promise<Session> {
    return this.#next() ?? boundedLater(...this.#queue(), signal);
  }

  release(session: Session): void {
    if (!session.alive || this.#closed) return this.discard(session);
    const next = this.#waiting.shift();
    if (next) return next.resolve(session);
    const timer = setTimeout(() => this.#expire(session), this.#options.settings.idleTimeout * 1000);
    timer.unref();
    this.#idle.push({ session, timer });
  }

  /** The same when it is as it was: nobody waits for that. What fails at it, or takes long, ends it. */
  recycle(session: Session, tidy: () => Promise<void>): void {
    const work = bounded(tidy(), {
      signal: NEVER,
      seconds: PATIENCE,
      expired: () => new MysqlFailure("unavailable", "The server does not answer"),
      giveUp: (reason) => this.discard(session, reason),
    });
    this.#track(work.then(() => this.release(session), () => this.discard(session)));
  }

  /** The same when something may have been left behind in it: variables, locks, settings, temporary tables, roles. */
  renew(session: Session): void {
    if (session.alive && !this.#closed) this.recycle(session, () => this.#options.renew(session));
    else this.discard(session);
  }

  /** Ends a connection at once, and on the server what it still runs. */
  discard(session: Session, reason: unknown = disconnected()): void {
    if (!this.#sessions.has(session)) return;
    if (session.alive) this.#track(this.#options.kill(session.id));
    session.destroy(reason);
    this.#forget(session);
  }

  /** Ends everything. What is under way fails. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const turn of this.#waiting.splice(0)) turn.reject(disconnected());
    for (const { session, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      this.#sessions.delete(session);
      this.#track(session.end());
    }
    for (const session of this.#sessions) this.discard(session);
    while (this.#ending.size > 0) await Promise.all(this.#ending);
  }

  /** Opens as many connections as are waited for. */
  #fill(): void {
    const { max } = this.#options.settings;
    while (this.#opening < this.#waiting.length && this.#sessions.size + this.#opening < Math.max(1, max)) {
      this.#opening++;
      this.#track(this.#add());
    }
  }

  /** Whoever has waited for longest gets the connection, or the reason why there is none. */
  async #add(): Promise<void> {
    try {
      const session = await this.#options.open();
      this.#opening--;
      session.onLost = () => this.#drop(session);
      this.#sessions.add(session);
      this.release(session);
    } catch (error) {
      this.#opening--;
      this.#waiting.shift()?.reject(error);
      this.#fill();
    }
  }

  /** One that was lost while it was idle. */
  #drop(session: Session): void {
    const at = this.#idle.findIndex((idle) => idle.session === session);
    const [idle] = at < 0 ? [] : this.#idle.splice(at, 1);
    if (!idle) return;
    clearTimeout(idle.timer);
    this.#forget(session);
  }

  #expire(session: Session): void {
    const at = this.#idle.findIndex((idle) => idle.session === session);
    if (at < 0) return;
    this.#idle.splice(at, 1);
    this.#forget(session);
    this.#track(session.end());
  }

  #forget(session: Session): void {
    if (this.#sessions.delete(session) && !this.#closed) this.#fill();
  }

  #next(): Session | undefined {
    if (this.#closed) throw disconnected();
    return this.take();
  }

  #queue(): readonly [Promise<Session>, Bounds] {
    const turn = Promise.withResolvers<Session>();
    this.#waiting.push(turn);
    this.#fill();
    return [turn.promise, {
      seconds: this.#options.settings.acquireTimeout,
      expired: () => new MysqlFailure("unavailable", "All connections to the database are in use"),
      giveUp: () => this.#leave(turn),
    }];
  }

  #leave(turn: PromiseWithResolvers<Session>): void {
    const at = this.#waiting.indexOf(turn);
    if (at >= 0) this.#waiting.splice(at, 1);
    // Its turn has just come: the connection goes to the next one. Why there is none, nobody asks any more.
    else turn.promise.then((session) => this.release(session), () => {});
  }

  #track(ending: Promise<void>): void {
    const tracked = ending.finally(() => this.#ending.delete(tracked));
    this.#ending.add(tracked);
  }
}

/** Why nothing works any more. */
export function disconnected(): MysqlFailure {
  return new MysqlFailure("unavailable", "The database has been disconnected");
}
