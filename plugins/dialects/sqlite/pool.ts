/**
 * The workers of one database. Each is used by one caller at a time; idle ones end after a while.
 *
 * @module
 */

import type { PoolSettings } from "@/plugins/contract.ts";
import { bounded } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { Lane } from "./lane.ts";
import type { Request } from "./protocol.ts";
import type { Receiver, Transport } from "./transport.ts";

interface Idle {
  readonly lane: Lane;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** How workers are made, and how many. */
export interface PoolOptions {
  readonly settings: PoolSettings;
  readonly start: (receiver: Receiver) => Transport;
  /** What each worker is told first. */
  readonly greeting: Request;
  /** Why there is none in time: `All workers are busy`. */
  readonly busy: string;
}

/** Workers are started when they are needed, up to `max`. */
export class WorkerPool implements AsyncDisposable {
  readonly #options: PoolOptions;
  readonly #lanes = new Set<Lane>();
  readonly #idle: Idle[] = [];
  readonly #waiting: PromiseWithResolvers<Lane>[] = [];
  /** Workers that have not answered their greeting yet. */
  readonly #fresh = new WeakSet<Lane>();
  readonly #stopping = new Set<Promise<void>>();
  readonly #busy = () => new DatabaseFailure("unavailable", this.#options.busy);
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Gives a worker for exclusive use; it goes back with {@link release} or, when in doubt, {@link discard}. */
  async acquire(signal: AbortSignal): Promise<Lane> {
    signal.throwIfAborted();
    const lane = this.#takeIdle() ?? this.#add() ?? await this.#turn(signal);
    return await this.#ready(lane, signal);
  }

  release(lane: Lane): void {
    if (!lane.alive) return this.discard(lane);
    const next = this.#waiting.shift();
    if (next) return next.resolve(lane);
    const timer = setTimeout(() => this.#expire(lane), this.#options.settings.idleTimeout * 1000);
    timer.unref();
    this.#idle.push({ lane, timer });
  }

  discard(lane: Lane): void {
    if (!this.#lanes.delete(lane)) return;
    this.#track(lane.stop());
    if (this.#waiting.length === 0 || this.#closed) return;
    this.#replace();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const { lane, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      this.#retire(lane);
    }
    for (const lane of this.#lanes) this.discard(lane);
    await Promise.all(this.#stopping);
  }

  /** The last one used is the warmest; the others may expire. */
  #takeIdle(): Lane | undefined {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      clearTimeout(idle.timer);
      if (idle.lane.alive) return idle.lane;
      this.discard(idle.lane);
    }
    return undefined;
  }

  #add(): Lane | undefined {
    if (this.#lanes.size >= Math.max(1, this.#options.settings.max)) return undefined;
    const lane = new Lane(this.#options.start);
    this.#lanes.add(lane);
    lane.send(this.#options.greeting);
    this.#fresh.add(lane);
    return lane;
  }

  /** Starts a worker for the caller that waits longest. */
  #replace(): void {
    try {
      const fresh = this.#add();
      if (fresh) this.#waiting.shift()?.resolve(fresh);
    } catch (error) {
      this.#waiting.shift()?.reject(error);
    }
  }

  async #ready(lane: Lane, signal: AbortSignal): Promise<Lane> {
    if (!this.#fresh.delete(lane)) return lane;
    try {
      await bounded(lane.next(), {
        signal,
        seconds: 0,
        expired: this.#busy,
        giveUp: () => this.discard(lane),
      });
      return lane;
    } catch (error) {
      this.discard(lane);
      throw error;
    }
  }

  /** Waits until another caller gives a worker back. */
  #turn(signal: AbortSignal): Promise<Lane> {
    const turn = Promise.withResolvers<Lane>();
    this.#waiting.push(turn);
    return bounded(turn.promise, {
      signal,
      seconds: this.#options.settings.acquireTimeout,
      expired: this.#busy,
      giveUp: () => this.#leave(turn),
    });
  }

  #leave(turn: PromiseWithResolvers<Lane>): void {
    const at = this.#waiting.indexOf(turn);
    if (at >= 0) this.#waiting.splice(at, 1);
    // Its turn has just come: the worker goes to the next one.
    else turn.promise.then((lane) => this.release(lane));
  }

  #expire(lane: Lane): void {
    const at = this.#idle.findIndex((idle) => idle.lane === lane);
    if (at < 0) return;
    this.#idle.splice(at, 1);
    this.#retire(lane);
  }

  /** One that does nothing is given the time to close its file. */
  #retire(lane: Lane): void {
    if (this.#lanes.delete(lane)) this.#track(lane.end());
  }

  #track(ending: Promise<void>): void {
    const stopping = ending.finally(() => this.#stopping.delete(stopping));
    this.#stopping.add(stopping);
  }
}
