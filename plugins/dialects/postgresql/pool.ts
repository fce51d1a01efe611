/**
 * The connections of one login. A connection is used by one caller, or shared by several quick reads or quick
 * writes, whose statements are sent without waiting for each other.
 *
 * @module
 */

import type { DatabaseUsage, PoolSettings } from "@/plugins/contract.ts";
import { bounded, milliseconds } from "@/plugins/kit/bounded.ts";
import { allInUse, DatabaseFailure, disconnected, silent } from "@/plugins/kit/database_failure.ts";
import { Turns } from "@/plugins/kit/turns.ts";
import type { LaneOptions } from "./driver.ts";
import { classify } from "./failures.ts";
import { Lane } from "./lane.ts";

/**
 * The use of a connection: `read` and `write` share it with others of the same purpose, `work` and `long
 * write` do not. Only the two that write may do so outside a transaction.
 */
type LanePurpose = "read" | "write" | "work" | "long write";

const SHARED: ReadonlySet<LanePurpose> = new Set(["read", "write"]);
const WRITING: ReadonlySet<LanePurpose> = new Set(["write", "long write"]);

interface Waiting {
  readonly purpose: LanePurpose;
  readonly turn: PromiseWithResolvers<Lane>;
}

/** Largest number of callers on one connection. */
const MAX_SHARED = 32;
/** Largest number of callers that share a connection while others are idle. */
const MAX_COMPANY = 8;
/** Milliseconds without an answer after which a connection gets no more callers than it has to. */
const HELD_UP = 20;
/** Milliseconds until the next attempt after the server has refused a connection. */
const RELUCTANCE = 1000;

/** Connections are opened on demand, up to `max`, and closed when they have been idle for a while. */
export class Pool implements AsyncDisposable {
  /** A stream takes a turn before its connection. */
  readonly streams: Turns;
  readonly #settings: PoolSettings;
  readonly #options: LaneOptions;
  readonly #lanes = new Set<Lane>();
  /** Unused ones; the last used one, with the warmest caches, is at the end. */
  readonly #idle: Lane[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #ending = new Set<Promise<void>>();
  #sweeping: ReturnType<typeof setTimeout> | undefined;
  /** The connection of the last caller that shares one. */
  #company: Lane | undefined;
  #opening = 0;
  /** Set after a refusal, until the next attempt. */
  #reluctance: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(options: LaneOptions, settings: PoolSettings) {
    this.#options = options;
    this.#settings = settings;
    this.streams = new Turns(settings);
  }

  /** Its connections at this moment, and the callers that wait. */
  get usage(): DatabaseUsage {
    const waiting = this.#waiting.length + this.streams.waiting;
    return { open: this.#lanes.size, idle: this.#idle.length, waiting };
  }

  /** True while it has a connection that is not known to be lost. */
  get isAlive(): boolean {
    return this.#lanes.size > 0;
  }

  /**
   * A connection to share that is available at once: an idle one or, when no more may be opened, one with
   * other callers of the same purpose. The shortest statements join the connection of the last ones, because
   * several sent together cost little more than one.
   */
  share(purpose: "read" | "write", takesNoTime: boolean): Lane | undefined {
    if (this.#closed || this.#waiting.length > 0) return undefined;
    const company = this.#company;
    if (takesNoTime && company && isOpenTo(company, purpose, MAX_COMPANY) && !isHeldUp(company)) {
      return take(company, purpose);
    }
    const lane = this.#takeIdle(purpose) ?? (this.#mayOpen() ? undefined : this.#leastShared(purpose));
    this.#company = lane;
    return lane && take(lane, purpose);
  }

  /** Waits for a connection, up to `acquireTimeout`. It is given back with {@link release}. */
  async acquire(purpose: LanePurpose, signal: AbortSignal): Promise<Lane> {
    signal.throwIfAborted();
    if (this.#closed) throw disconnected();
    const turn = Promise.withResolvers<Lane>();
    this.#waiting.push({ purpose, turn });
    this.#serve();
    return await bounded(turn.promise, {
      signal,
      seconds: this.#settings.acquireTimeout,
      expired: () => this.#expired(),
      giveUp: () => this.#leave(turn),
    });
  }

  /** Work on a connection for itself. */
  async use<T>(signal: AbortSignal, work: (lane: Lane) => Promise<T>): Promise<T> {
    const lane = await this.acquire("work", signal);
    try {
      return await work(lane);
    } finally {
      this.release(lane);
    }
  }

  /** A lane that needs a reset is free after it; its caller does not wait for that. */
  release(lane: Lane): void {
    if (lane.needsReset && lane.alive && !lane.condemned) {
      return this.#track(lane.reset().then(() => this.release(lane)));
    }
    lane.users--;
    if (lane.users > 0) return;
    lane.exclusive = false;
    this.#rest(lane);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#sweeping);
    clearTimeout(this.#reluctance);
    for (const { turn } of this.#waiting.splice(0)) turn.reject(disconnected());
    for (const lane of [...this.#lanes]) {
      if (lane.users === 0) this.#retire(lane);
      else this.#track(lane.abandon());
    }
    while (this.#ending.size > 0) await Promise.all(this.#ending);
  }

  /** Gives connections to waiting callers, in their order, and opens more for the others. */
  #serve(): void {
    for (let [next] = this.#waiting; next; [next] = this.#waiting) {
      const mayShare = SHARED.has(next.purpose) && !this.#mayOpen();
      const lane = this.#takeIdle(next.purpose) ?? (mayShare ? this.#leastShared(next.purpose) : undefined);
      if (!lane) break;
      this.#waiting.shift();
      next.turn.resolve(take(lane, next.purpose));
    }
    while (this.#opening < this.#waiting.length && this.#mayOpen()) {
      this.#opening++;
      this.#track(Lane.open(this.#options).then((lane) => this.#add(lane), (error) => this.#failed(error)));
    }
  }

  /** Prefers one that need not change between reading and writing. */
  #takeIdle(purpose: LanePurpose): Lane | undefined {
    const at = this.#idle.findLastIndex((lane) => lane.mayWrite === WRITING.has(purpose));
    return at < 0 ? this.#idle.pop() : this.#idle.splice(at, 1)[0];
  }

  #mayOpen(): boolean {
    if (this.#lanes.size + this.#opening >= Math.max(1, this.#settings.max)) return false;
    return this.#lanes.size === 0 || this.#reluctance === undefined;
  }

  #leastShared(purpose: LanePurpose): Lane | undefined {
    let least: Lane | undefined;
    for (const lane of this.#lanes) {
      if (!isOpenTo(lane, purpose, MAX_SHARED)) continue;
      if (!least || waitOn(lane) < waitOn(least)) least = lane;
    }
    return least;
  }

  #add(lane: Lane): void {
    this.#opening--;
    this.#lanes.add(lane);
    lane.onClose = () => {
      // Its user is informed by the failure of a statement.
      this.#forget(lane);
      if (!this.#closed) this.#serve();
    };
    this.#rest(lane);
  }

  /** If the server refuses further connections, the open ones remain usable, and the caller waits for one. */
  #failed(error: unknown): void {
    this.#opening--;
    const mayWait = this.#lanes.size > 0 && ["unavailable", "storage"].includes(classify(error) ?? "");
    if (mayWait) this.#pauseOpening();
    else this.#waiting.shift()?.turn.reject(error);
    this.#serve();
  }

  #pauseOpening(): void {
    if (this.#closed) return;
    this.#reluctance ??= setTimeout(() => {
      this.#reluctance = undefined;
      this.#serve();
    }, RELUCTANCE);
  }

  /** No connection came back in time, or the server did not accept another one. */
  #expired(): DatabaseFailure {
    if (this.#opening > 0) return silent(this.#settings.acquireTimeout);
    return new DatabaseFailure("unavailable", allInUse(this.#lanes.size));
  }

  #leave(turn: PromiseWithResolvers<Lane>): void {
    const at = this.#waiting.findIndex((waiting) => waiting.turn === turn);
    if (at >= 0) this.#waiting.splice(at, 1);
    // The turn has just come: the connection goes to the next caller.
    else turn.promise.then((lane) => this.release(lane), () => {});
  }

  #rest(lane: Lane): void {
    if (lane.isWorn || this.#closed) this.#retire(lane);
    else {
      lane.idleSince = performance.now();
      this.#idle.push(lane);
      this.#sweepLater();
    }
    if (this.#waiting.length > 0) this.#serve();
  }

  /** One timer for all of them, because one for each would cost more than a quick statement. */
  #sweepLater(): void {
    if (this.#sweeping !== undefined) return;
    this.#sweeping = setTimeout(() => this.#sweep(), milliseconds(this.#settings.idleTimeout));
    this.#sweeping.unref();
  }

  #sweep(): void {
    this.#sweeping = undefined;
    const latest = performance.now() - milliseconds(this.#settings.idleTimeout);
    for (const lane of [...this.#idle]) {
      if (lane.idleSince <= latest) this.#retire(lane);
    }
    if (this.#idle.length > 0) this.#sweepLater();
  }

  #retire(lane: Lane): void {
    this.#forget(lane);
    this.#track(lane.close());
  }

  #forget(lane: Lane): void {
    const at = this.#idle.indexOf(lane);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#lanes.delete(lane);
  }

  #track(work: Promise<void>): void {
    const ending = work.finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

function take(lane: Lane, purpose: LanePurpose): Lane {
  if (lane.users++ === 0) lane.answeredAt = performance.now();
  lane.exclusive = !SHARED.has(purpose);
  lane.permit(WRITING.has(purpose));
  return lane;
}

/** Whether others share it for this purpose, below the limit; a worn-out connection gets no more callers. */
function isOpenTo(lane: Lane, purpose: LanePurpose, most: number): boolean {
  if (lane.users === 0 || lane.users >= most || lane.exclusive || lane.isWorn) return false;
  return lane.mayWrite === WRITING.has(purpose);
}

/** Whether its first statement waits, perhaps for a lock of others: those behind it wait with it. */
function isHeldUp(lane: Lane): boolean {
  return performance.now() - lane.answeredAt > HELD_UP;
}

/** The callers to wait for; a connection that is held up comes last. */
function waitOn(lane: Lane): number {
  return lane.users + (isHeldUp(lane) ? MAX_SHARED : 0);
}
