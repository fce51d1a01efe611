/**
 * The workers of one file for long reads, or its only one for writing.
 *
 * @module
 */

import type { PoolSettings, ReadOptions, Row, StreamOptions } from "@/plugins/contract.ts";
import { bounded, type Limits, NEVER, statementLimits } from "@/plugins/kit/bounded.ts";
import { SessionPool } from "@/plugins/kit/session_pool.ts";
import { unresponsive } from "./failures.ts";
import { Lane, type startProcess } from "./lane.ts";
import type { PackedRun, Request } from "./protocol.ts";

interface WorkerOptions {
  readonly settings: PoolSettings;
  readonly start: typeof startProcess;
  /** The first request of each worker. */
  readonly greeting: Request;
  /** The message of the failure when no worker is free in time. */
  readonly busy: string;
}

interface TimedRows {
  readonly results: readonly Row[][];
  readonly milliseconds: number;
}

/** Milliseconds. A worker takes about as long to start, all of it CPU, and then 80 MB. */
const PATIENCE = 50;

/** The end of work without a caller's signal, most of which is quick: single writes. */
const QUICK: Pick<Limits, "ending"> = { ending: () => NEVER };

/** The time to start a worker does not count as waiting for one. */
export class WorkerPool extends SessionPool<Lane> {
  readonly #limits: Limits;

  constructor({ settings, busy, start, greeting }: WorkerOptions) {
    const open = () => Promise.try(() => new Lane(start, greeting));
    super({ settings, busy, patience: PATIENCE, open, stop: (lane) => lane.stop() });
    this.#limits = statementLimits(settings.statementTimeout);
  }

  /** A worker that has opened its file. */
  override async acquire(signal: AbortSignal): Promise<Lane> {
    const lane = await super.acquire(signal);
    if (lane.isStarted) return lane;
    try {
      const giveUp = () => this.discard(lane);
      await bounded(lane.started, { signal, seconds: 0, expired: unresponsive, giveUp });
      return lane;
    } catch (error) {
      this.discard(lane);
      throw error;
    }
  }

  /** Waits for a worker, up to `statementTimeout`; exceeding it, or an abort, ends the worker. */
  limit<T>(lane: Lane, work: Promise<T>, signal?: AbortSignal): Promise<T> {
    const end = signal ? { signal } : QUICK;
    return bounded(work, { ...this.#limits, ...end, giveUp: () => this.discard(lane) });
  }

  /**
   * The rows of each run, all from one snapshot, and the time that the worker took. Above `mostRows`
   * rows, the remaining runs return none.
   */
  async read(runs: readonly PackedRun[], { signal, mostRows }: ReadOptions): Promise<TimedRows> {
    const results: Row[][] = runs.map(() => []);
    const lane = await this.acquire(signal);
    try {
      const request: Request = { kind: "run", runs, mostRows };
      const { milliseconds } = await this.limit(lane, lane.collect(request, results), signal);
      return { results, milliseconds };
    } finally {
      this.release(lane);
    }
  }

  /** The rows of a run, read chunk by chunk on request; `statementTimeout` limits each chunk. */
  async *stream(run: PackedRun, { signal, fetchSize }: StreamOptions): AsyncGenerator<readonly Row[]> {
    const lane = await this.acquire(signal);
    const giveUp = () => this.discard(lane);
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      let request: Request = { kind: "open", run, fetchSize };
      for (;;) {
        signal.throwIfAborted();
        const answer = await this.limit(lane, lane.ask(request), signal);
        if (answer.kind !== "rows") return;
        yield answer.rows;
        request = { kind: "next" };
      }
    } finally {
      signal.removeEventListener("abort", giveUp);
      // The worker closes the statement, if still open, before it reads the next request.
      if (lane.alive) lane.send({ kind: "close" });
      this.release(lane);
    }
  }
}
