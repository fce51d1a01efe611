/**
 * The connections of one login. A connection is used by one caller, or shared by several quick reads, whose statements
 * are sent without waiting for each other.
 *
 * @module
 */

import type { PoolSettings } from "@/plugins/contract.ts";
import { bounded } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure, disconnected } from "@/plugins/kit/database_failure.ts";
import { Turns } from "@/plugins/kit/streams.ts";
import type { LaneOptions } from "./driver.ts";
import { classify } from "./failures.ts";
import { Lane } from "./lane.ts";

/** The use of a connection; only `read` shares it. */
type Purpose = "read" | "work";

interface Waiting {
  readonly purpose: Purpose;
  readonly turn: PromiseWithResolvers<Lane>;
}

/** Largest number of readers on one connection. */
const MAX_SHARED = 32;
/** Largest number of readers that share a connection while others are idle. */
const MAX_COMPANY = 8;
/** Milliseconds without a new attempt after the server has refused a connection. */
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
  /** The connection of the last reader. */
  #company: Lane | undefined;
  #opening = 0;
  /** The time of the next attempt after a refusal, in milliseconds of {@link performance.now}. */
  #nextOpening = 0;
  #closed = false;

  constructor(options: LaneOptions, settings: PoolSettings) {
    this.#options = options;
    this.#settings = settings;
    this.streams = new Turns(settings);
  }

  /** True while it has a connection that is not known to be lost. */
  get isAlive(): boolean {
    return this.#lanes.size > 0;
  }

  /**
   * A connection for `read` that is available at once: an idle one or, when no more may be opened, one with other
   * readers. The shortest statements join the connection of the last ones, because several sent together cost little more
   * than one.
   */
  share(takesNoTime: boolean): Lane | undefined {
    if (this.#closed || this.#waiting.length > 0) return undefined;
    if (takesNoTime && this.#company && isOpenTo(this.#company, MAX_COMPANY)) {
      return take(this.#company, "read");
    }
    const lane = this.#idle.pop() ?? (this.#mayOpen() ? undefined : this.#leastShared());
    this.#company = lane;
    return lane && take(lane, "read");
  }

  /** Waits for a connection, up to `acquireTimeout`. It is given back with {@link release}. */
  async acquire(purpose: Purpose, signal: AbortSignal): Promise<Lane> {
    signal.throwIfAborted();
    if (this.#closed) throw disconnected();
    const turn = Promise.withResolvers<Lane>();
    this.#waiting.push({ purpose, turn });
    this.#serve();
    return await bounded(turn.promise, {
      signal,
      seconds: this.#settings.acquireTimeout,
      expired: () => new DatabaseFailure("unavailable", "All connections to the database are busy"),
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
      const mayShare = next.purpose === "read" && !this.#mayOpen();
      const lane = this.#idle.pop() ?? (mayShare ? this.#leastShared() : undefined);
      if (!lane) break;
      this.#waiting.shift();
      next.turn.resolve(take(lane, next.purpose));
    }
    while (this.#opening < this.#waiting.length && this.#mayOpen()) {
      this.#opening++;
      this.#track(Lane.open(this.#options).then((lane) => this.#add(lane), (error) => this.#failed(error)));
    }
  }

  #mayOpen(): boolean {
    if (this.#lanes.size + this.#opening >= Math.max(1, this.#settings.max)) return false;
    return this.#lanes.size === 0 || performance.now() >= this.#nextOpening;
  }

  #leastShared(): Lane | undefined {
    let least: Lane | undefined;
    for (const lane of this.#lanes) {
      if (isOpenTo(lane, MAX_SHARED) && (!least || lane.users < least.users)) least = lane;
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
    const mayWait = this.#lanes.size > 0 && classify(error) === "unavailable";
    if (mayWait) this.#nextOpening = performance.now() + RELUCTANCE;
    else this.#waiting.shift()?.turn.reject(error);
    this.#serve();
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
    this.#sweeping = setTimeout(() => this.#sweep(), this.#settings.idleTimeout * 1000);
    this.#sweeping.unref();
  }

  #sweep(): void {
    this.#sweeping = undefined;
    const latest = performance.now() - this.#settings.idleTimeout * 1000;
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

function take(lane: Lane, purpose: Purpose): Lane {
  lane.users++;
  lane.exclusive = purpose === "work";
  return lane;
}

/** Whether others read on it, below the limit; a worn-out connection gets no more readers. */
function isOpenTo(lane: Lane, most: number): boolean {
  return lane.users > 0 && lane.users < most && !lane.exclusive && !lane.isWorn;
}
