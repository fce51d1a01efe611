/**
 * Lets requests share statements: the database plans and answers once, and so do driver and service.
 *
 * @module
 */

import { TimerQueue } from "@/plugins/kit/timer_queue.ts";

/** Two clients do not wait for each other: what they would save is less than the wait. */
const AT_ONCE = 2;
/** The time after which the first of the requests that wait does so no longer. */
const PATIENCE = new TimerQueue(2);
/** A statement that takes longer may wait for a lock that only one of its requests needs. */
const SLOW = new TimerQueue(100);
/** Milliseconds after a slow statement in which no statement is shared. */
const PAUSE = 1000;

/** The statements of a queue. */
export interface SharedStatements<T> {
  /** The number of requests in the next statement when `waiting` wait: at least one. */
  size(waiting: number): number;
  /** Runs the statement of these requests. Never rejects. */
  run(requests: readonly T[]): Promise<void>;
  /** Called while a statement runs that takes long. */
  slow?(requests: readonly T[]): void;
}

/**
 * Requests of one shape. One begins at once unless at least two others run; then it waits until fewer run,
 * or for a moment, and shares the next statement with the others that wait.
 */
export class StatementQueue<T> {
  readonly #statements: SharedStatements<T>;
  #waiting: T[] = [];
  /** Requests whose statements run. */
  #running = 0;
  /** The begin of the last statement, on the clock of `performance.now()`. */
  #begun = -Infinity;
  /** Ends the wait of {@link PATIENCE}. */
  #stopWaiting: (() => void) | undefined;
  /** On the same clock. */
  #pausedUntil = 0;

  constructor(statements: SharedStatements<T>) {
    this.#statements = statements;
  }

  /** True after a slow statement: each request has to run its own. */
  get isPaused(): boolean {
    return performance.now() < this.#pausedUntil;
  }

  add(request: T): void {
    this.#waiting.push(request);
    this.#begin();
  }

  #begin(): void {
    while (this.#waiting.length > 0 && this.#mayBegin()) {
      void this.#run(this.#waiting.splice(0, this.#statements.size(this.#waiting.length)));
    }
    if (this.#waiting.length === 0) {
      this.#stopWaiting?.();
      this.#stopWaiting = undefined;
    } else {
      this.#stopWaiting ??= PATIENCE.start(() => {
        this.#stopWaiting = undefined;
        this.#begin();
      });
    }
  }

  #mayBegin(): boolean {
    return this.#running < AT_ONCE || performance.now() - this.#begun >= PATIENCE.milliseconds;
  }

  async #run(requests: readonly T[]): Promise<void> {
    this.#running += requests.length;
    this.#begun = performance.now();
    const stop = SLOW.start(() => {
      this.#pausedUntil = performance.now() + PAUSE;
      this.#statements.slow?.(requests);
    });
    await this.#statements.run(requests);
    stop();
    this.#running -= requests.length;
    this.#begin();
  }
}
