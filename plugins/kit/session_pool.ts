/**
 * The sessions of one login. A session is a connection or a worker, and serves one caller at a time.
 *
 * @module
 */

import type { DatabaseUsage, PoolSettings } from "@/plugins/contract.ts";
import { bounded, type Limits, milliseconds } from "./bounded.ts";
import { DatabaseFailure, disconnected, silent } from "./database_failure.ts";

/** Seconds that the reset of a session may take. */
const PATIENCE = 5;
/** Milliseconds without a further attempt to open one, after a refusal. */
const RELUCTANCE = 1000;

/** A session with the members that its pool uses. */
export interface PooledSession {
  /** False when the session can run no more statements. */
  readonly alive: boolean;
  end(): Promise<void>;
}

/** The pool's limits, and its operations on sessions. */
export interface PoolOptions<Session> {
  readonly settings: Pick<PoolSettings, "max" | "acquireTimeout" | "idleTimeout">;
  readonly busy: string;
  /**
   * Milliseconds that callers wait for a session in use before another one is opened, for sessions that cost
   * more than such a wait. Absent: they are opened at once.
   */
  readonly patience?: number;
  open(): Promise<Session>;
  /** Resets a session after its caller; undefined for a session that needs no reset. */
  reset?(session: Session): Promise<void> | undefined;
  /** Ends a session with its running work; it is not alive afterwards. Must not reject. */
  stop(session: Session, reason: unknown): Promise<void>;
}

/** The failure of a caller that got no session in time. The database itself may be well. */
export class PoolBusy extends DatabaseFailure {
  constructor(message: string) {
    super("unavailable", message);
    this.name = "PoolBusy";
  }
}

/** Opens sessions when callers need them, up to `max`, and ends those that are idle for `idleTimeout`. */
export class SessionPool<Session extends PooledSession> implements AsyncDisposable {
  readonly #options: PoolOptions<Session>;
  readonly #sessions = new Set<Session>();
  /** Idle sessions in the order of their release. */
  readonly #idle: { readonly session: Session; readonly since: number }[] = [];
  readonly #waiting: PromiseWithResolvers<Session>[] = [];
  readonly #ending = new Set<Promise<void>>();
  #sweeping: ReturnType<typeof setTimeout> | undefined;
  #growing: ReturnType<typeof setTimeout> | undefined;
  #opening = 0;
  /** Set after a refusal, until the next attempt. */
  #reluctance: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(options: PoolOptions<Session>) {
    this.#options = options;
  }

  /** Its sessions at this moment, and the callers that wait. */
  get usage(): DatabaseUsage {
    return { open: this.#sessions.size, idle: this.#idle.length, waiting: this.#waiting.length };
  }

  /**
   * Takes the idle session that was used last, because its caches are the warmest: one
   * that fits if there is one, else any.
   */
  take(fits: (session: Session) => boolean = () => true): Session | undefined {
    while (this.#idle.length > 0) {
      const at = this.#idle.findLastIndex(({ session }) => fits(session));
      const [idle] = this.#idle.splice(at, 1);
      if (idle?.session.alive) return idle.session;
      if (idle) this.discard(idle.session);
    }
    return undefined;
  }

  /**
   * Gives a session for exclusive use. The caller returns it with {@link release} or, when in doubt, {@link
   * discard}. Rejects with a {@link PoolBusy} when no session is free within `seconds`.
   */
  async acquire(signal: AbortSignal, seconds?: number): Promise<Session> {
    signal.throwIfAborted();
    return this.#next() ?? await this.#wait({ signal }, seconds);
  }

  /**
   * Gives a session as {@link acquire} does, but makes the signal only after a long
   * wait, because most waits are short.
   */
  acquireSoon(ending: () => AbortSignal): Session | Promise<Session> {
    return this.#next() ?? this.#wait({ ending });
  }

  /**
   * Takes a session back. Other callers get it after its reset, for which the releasing caller does not wait.
   */
  release(session: Session): void {
    if (!session.alive || this.#closed) return this.discard(session);
    const reset = this.#options.reset?.(session);
    if (reset) return this.#afterReset(session, reset);
    const next = this.#waiting.shift();
    if (next) return next.resolve(session);
    this.#idle.push({ session, since: performance.now() });
    this.#sweepLater();
  }

  /** Ends a session at once, with its running work. */
  discard(session: Session, reason: unknown = disconnected()): void {
    if (!this.#sessions.delete(session)) return;
    this.#track(this.#options.stop(session, reason));
    if (!this.#closed) this.#fill();
  }

  /** Ends every session; running work fails. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#sweeping);
    clearTimeout(this.#growing);
    clearTimeout(this.#reluctance);
    for (const turn of this.#waiting.splice(0)) turn.reject(disconnected());
    for (const { session } of this.#idle.splice(0)) this.#retire(session);
    for (const session of this.#sessions) this.discard(session);
    while (this.#ending.size > 0) await Promise.all(this.#ending);
  }

  /** A session whose reset fails or takes too long is ended. */
  #afterReset(session: Session, reset: Promise<void>): void {
    const work = bounded(reset, {
      seconds: PATIENCE,
      expired: () => silent(PATIENCE),
      giveUp: (reason) => this.discard(session, reason),
    });
    this.#track(work.then(() => this.release(session), () => this.discard(session)));
  }

  #next(): Session | undefined {
    if (this.#closed) throw disconnected();
    return this.take();
  }

  #wait(
    end: Pick<Limits, "signal" | "ending">,
    seconds = this.#options.settings.acquireTimeout,
  ): Promise<Session> {
    const turn = Promise.withResolvers<Session>();
    this.#waiting.push(turn);
    this.#fill();
    const expired = () => this.#opening > 0 ? silent(seconds) : new PoolBusy(this.#options.busy);
    return bounded(turn.promise, { ...end, seconds, expired, giveUp: () => this.#leave(turn) });
  }

  #leave(turn: PromiseWithResolvers<Session>): void {
    const at = this.#waiting.indexOf(turn);
    if (at >= 0) this.#waiting.splice(at, 1);
    // The turn has just been resolved: its session goes to the next caller, and a
    // failure to open one needs no report.
    else turn.promise.then((session) => this.release(session), () => {});
  }

  #fill(): void {
    const isPatient = this.#options.patience !== undefined;
    while (this.#mayOpen()) {
      if (isPatient && this.#sessions.size + this.#opening > 0) return this.#growLater();
      this.#open();
    }
  }

  #mayOpen(): boolean {
    const max = Math.max(1, this.#options.settings.max);
    const isReluctant = this.#sessions.size > 0 && this.#reluctance !== undefined;
    return this.#opening < this.#waiting.length && this.#sessions.size + this.#opening < max && !isReluctant;
  }

  #open(): void {
    this.#opening++;
    this.#track(this.#add());
  }

  /** Opens one session at a time, as long as callers wait. */
  #growLater(): void {
    if (this.#growing !== undefined || !this.#mayOpen()) return;
    this.#growing = setTimeout(() => {
      this.#growing = undefined;
      if (this.#mayOpen()) this.#open();
      this.#growLater();
    }, this.#options.patience);
  }

  /**
   * Opens one session. The caller that has waited longest gets it, or the failure to open it. While there are
   * others, as where the server takes fewer than `max`, it waits for one of them.
   */
  async #add(): Promise<void> {
    try {
      const session = await this.#options.open();
      this.#opening--;
      this.#sessions.add(session);
      this.release(session);
    } catch (error) {
      this.#opening--;
      if (this.#sessions.size === 0) this.#waiting.shift()?.reject(error);
      else this.#pauseOpening();
      this.#fill();
    }
  }

  #pauseOpening(): void {
    this.#reluctance ??= setTimeout(() => {
      this.#reluctance = undefined;
      this.#fill();
    }, RELUCTANCE);
    this.#reluctance.unref();
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
