/**
 * The connections of one login. A connection is used by one caller, or shared by several quick reads, whose statements
 * are sent without waiting for each other.
 *
 * @module
 */

import type { PoolSettings } from "@/plugins/contract.ts";
import { bounded } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure, disconnected } from "@/plugins/kit/database_failure.ts";
import { classify } from "./failures.ts";
import { Lane, type LaneOptions, lost } from "./lane.ts";

/** The use of a connection; only `read` shares it. */
export type Purpose = "read" | "work" | "stream";

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
  readonly #settings: PoolSettings;
  readonly #options: LaneOptions;
  readonly #lanes = new Set<Lane>();
  /** Unused ones; the last used one is at the end. */
  readonly #idle: Lane[] = [];
  #sweeping: ReturnType<typeof setTimeout> | undefined;
  readonly #streaming = new Set<Lane>();
  readonly #ending = new Set<Promise<void>>();
  #waiting: Waiting[] = [];
  /** The connection of the last reader. */
  #company: Lane | undefined;
  #opening = 0;
  /** The number of them that streams wait for. */
  #openingStreams = 0;
  /** The time of the next attempt after a refusal, in milliseconds of {@link performance.now}. */
  #nextOpening = 0;
  #closed = false;

  constructor(options: LaneOptions, settings: PoolSettings) {
    this.#options = options;
    this.#settings = settings;
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
      return this.#take(this.#company, "read");
    }
    const lane = this.#takeIdle() ?? (this.#mayOpen() ? undefined : this.#leastShared());
    this.#company = lane;
    return lane && this.#take(lane, "read");
  }

  /** Waits for a connection, up to `acquireTimeout`. It is given back with {@link release}. */
  async acquire(purpose: Purpose, signal: AbortSignal): Promise<Lane> {
    signal.throwIfAborted();
    if (this.#closed) throw disconnected();
    const turn = Promise.withResolvers<Lane>();
    const waiting: Waiting = { purpose, turn };
    this.#waiting.push(waiting);
    this.#serve();
    return await bounded(turn.promise, {
      signal,
      seconds: this.#settings.acquireTimeout,
      expired: () => new DatabaseFailure("unavailable", "All connections to the database are busy"),
      giveUp: () => this.#leave(waiting),
    });
  }

  /** A lane that needs a reset is free after it; its caller does not wait for that. */
  release(lane: Lane): void {
    if (lane.needsReset && lane.alive && !lane.condemned) {
      return this.#track(lane.reset().then(() => this.release(lane)));
    }
    lane.users--;
    if (lane.users > 0) return;
    lane.exclusive = false;
    this.#streaming.delete(lane);
    if (lane.isWorn || !lane.alive || this.#closed) this.#retire(lane);
    else this.#rest(lane);
    if (this.#waiting.length > 0) this.#serve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#sweeping);
    for (const { turn } of this.#waiting.splice(0)) turn.reject(disconnected());
    for (const lane of [...this.#lanes]) {
      if (lane.users === 0) this.#retire(lane);
      else this.#track(lane.abandon());
    }
    await Promise.all(this.#ending);
  }

  /** Gives connections to waiting callers, in their order; streams never get the reserved ones. */
  #serve(): void {
    for (const waiting of [...this.#waiting]) {
      if (waiting.purpose === "stream" && !this.#mayStream()) continue;
      const lane = this.#takeIdle() ?? (this.#mayOpen() ? this.#open(waiting) : this.#shareable(waiting));
      if (lane === "none") return;
      this.#waiting = this.#waiting.filter((one) => one !== waiting);
      if (lane !== "opening") waiting.turn.resolve(this.#take(lane, waiting.purpose));
    }
  }

  #shareable({ purpose }: Waiting): Lane | "none" {
    return (purpose === "read" ? this.#leastShared() : undefined) ?? "none";
  }

  #leastShared(): Lane | undefined {
    let least: Lane | undefined;
    for (const lane of this.#lanes) {
      if (!isOpenTo(lane, MAX_SHARED)) continue;
      if (!least || lane.users < least.users) least = lane;
    }
    return least;
  }

  #take(lane: Lane, purpose: Purpose): Lane {
    lane.users++;
    lane.exclusive = purpose !== "read";
    if (purpose === "stream") this.#streaming.add(lane);
    return lane;
  }

  #mayOpen(): boolean {
    if (this.#lanes.size + this.#opening >= Math.max(1, this.#settings.max)) return false;
    return this.#lanes.size === 0 || performance.now() >= this.#nextOpening;
  }

  #mayStream(): boolean {
    return this.#streaming.size + this.#openingStreams < Math.max(1, this.#settings.max - 2);
  }

  #open(waiting: Waiting): "opening" {
    const streams = waiting.purpose === "stream" ? 1 : 0;
    this.#opening++;
    this.#openingStreams += streams;
    const opened = () => {
      this.#opening--;
      this.#openingStreams -= streams;
    };
    const add = (lane: Lane) => {
      opened();
      this.#add(lane, waiting);
    };
    const fail = (error: unknown) => {
      opened();
      this.#failed(waiting, error);
    };
    this.#track(Lane.open(this.#options).then(add, fail));
    return "opening";
  }

  #add(lane: Lane, { purpose, turn }: Waiting): void {
    if (this.#closed || !lane.alive) {
      this.#retire(lane);
      return turn.reject(this.#closed ? disconnected() : lost());
    }
    this.#lanes.add(lane);
    lane.onClose = () => this.#lost(lane);
    turn.resolve(this.#take(lane, purpose));
  }

  /** If the server refuses further connections, the open ones remain usable. */
  #failed(waiting: Waiting, error: unknown): void {
    const mayWait = this.#lanes.size > 0 && !this.#closed && classify(error) === "unavailable";
    if (!mayWait) {
      waiting.turn.reject(error);
      return this.#serve();
    }
    this.#nextOpening = performance.now() + RELUCTANCE;
    this.#waiting.unshift(waiting);
    this.#serve();
  }

  #leave(waiting: Waiting): void {
    this.#waiting = this.#waiting.filter((one) => one !== waiting);
    // It may still be opening, or its turn has just come: the connection goes to the next caller.
    waiting.turn.promise.then((lane) => this.release(lane), () => {});
  }

  /** The last used one has the warmest caches; the others may expire. */
  #takeIdle(): Lane | undefined {
    return this.#idle.pop();
  }

  #rest(lane: Lane): void {
    lane.idleSince = performance.now();
    this.#idle.push(lane);
    this.#sweepLater();
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

  /** The server has closed it; its user is informed by the failure of a statement. */
  #lost(lane: Lane): void {
    this.#forget(lane);
    if (!this.#closed) this.#serve();
  }

  #forget(lane: Lane): void {
    const at = this.#idle.indexOf(lane);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#streaming.delete(lane);
    this.#lanes.delete(lane);
  }

  #track(work: Promise<void>): void {
    const ending = work.finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

/** Whether others read on it, below the limit; a worn-out connection gets no more readers. */
function isOpenTo(lane: Lane, most: number): boolean {
  return lane.users > 0 && lane.users < most && !lane.exclusive && !lane.isWorn && lane.alive;
}
