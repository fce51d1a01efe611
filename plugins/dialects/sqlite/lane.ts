/**
 * One worker in the service: one caller at a time sends a request and takes the answers.
 *
 * @module
 */

import { bounded } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { type PoolOptions, SessionPool } from "@/plugins/kit/session_pool.ts";
import { StatementError, WorkerEnded } from "./failures.ts";
import { type Answer, type Request, unpackRows } from "./protocol.ts";
import type { Receiver, Transport } from "./transport.ts";

/** Seconds that an unneeded worker may take to end. */
const PATIENCE = 5;

type Given = Exclude<Answer, { kind: "error" }>;

/** Owns the worker's process or thread; unusable once its transport ends. */
export class Lane {
  /** Resolves when the worker has answered its first request. */
  readonly started: Promise<unknown>;
  readonly #transport: Transport;
  readonly #answers: Answer[] = [];
  #waiting: PromiseWithResolvers<void> | undefined;
  #ended = false;

  constructor(start: (receiver: Receiver) => Transport, greeting: Request) {
    this.#transport = start({ line: (text) => this.#take(text), ended: () => this.#end() });
    this.started = this.ask(greeting);
    this.started.catch(() => {});
  }

  get alive(): boolean {
    return !this.#ended;
  }

  /** Sends a request and returns its first answer. */
  ask(request: Request): Promise<Given> {
    this.send(request);
    return this.next();
  }

  send(request: Request): void {
    this.#transport.send(JSON.stringify(request));
  }

  /** The next answer; throws the worker's error, or that it has ended. */
  async next(): Promise<Given> {
    while (this.#answers.length === 0 && !this.#ended) {
      this.#waiting = Promise.withResolvers();
      await this.#waiting.promise;
    }
    const answer = this.#answers.shift();
    if (!answer) throw new WorkerEnded();
    if (answer.kind === "error") throw new StatementError(answer.code, answer.message);
    if (answer.kind === "rows" && answer.packed) unpackRows(answer.rows);
    return answer;
  }

  /** Ends an idle worker gracefully: the last handle to close a file removes its write-ahead log. */
  async end(): Promise<void> {
    const closed = this.ask({ kind: "end" });
    // Whether it closes the file or is stopped, committed changes are safe.
    await bounded(closed, { seconds: PATIENCE, expired, giveUp: () => {} }).catch(() => {});
    await this.stop();
  }

  /** Stops it, even in the middle of a statement. */
  async stop(): Promise<void> {
    this.#end();
    await this.#transport.stop();
  }

  #take(text: string): void {
    this.#answers.push(JSON.parse(text) as Answer);
    this.#waiting?.resolve();
  }

  #end(): void {
    this.#ended = true;
    this.#waiting?.resolve();
  }
}

/** How workers are started, and their limits. */
export interface WorkerOptions extends Pick<PoolOptions<Lane>, "settings" | "busy"> {
  readonly start: (receiver: Receiver) => Transport;
  /** The first request of each worker. */
  readonly greeting: Request;
}

/** The workers of one database. The time to start one does not count as waiting for one. */
export class WorkerPool extends SessionPool<Lane> {
  constructor({ settings, busy, start, greeting }: WorkerOptions) {
    const open = () => Promise.try(() => new Lane(start, greeting));
    super({ settings, busy, open, stop: (lane) => lane.stop() });
  }

  /** A worker that has opened its file. */
  override async acquire(signal: AbortSignal): Promise<Lane> {
    const lane = await super.acquire(signal);
    try {
      await bounded(lane.started, { signal, seconds: 0, expired, giveUp: () => this.discard(lane) });
      return lane;
    } catch (error) {
      this.discard(lane);
      throw error;
    }
  }
}

function expired(): Error {
  return new DatabaseFailure("unavailable", "The worker does not answer");
}
