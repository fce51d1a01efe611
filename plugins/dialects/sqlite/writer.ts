/**
 * Transactions that write: one after another, in their own worker, so that waiting for
 * the disk delays no other request.
 *
 * @module
 */

import type { DatabaseUsage, Outcome, PoolSettings, Row } from "@/plugins/contract.ts";
import { bounded, milliseconds, NEVER } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { type TransactionPort, WriteTransaction } from "@/plugins/kit/write_transaction.ts";
import { readOnly, WorkerEnded } from "./failures.ts";
import { requireStill } from "./file.ts";
import type { Lane, startProcess } from "./lane.ts";
import { type PackedResult, type PackedWrite, packRun, type Request } from "./protocol.ts";
import type { TakeTurn } from "./turns.ts";
import { WorkerPool } from "./worker_pool.ts";
import { type NextWrites, WriteQueue } from "./write_queue.ts";

interface WriterOptions {
  readonly file: string;
  /** Identifies the file that is read; no other one is written. */
  readonly identity: string;
  /** False without Deno's permission, which native code does not ask for. */
  readonly mayWrite: boolean;
  readonly settings: PoolSettings;
  readonly start: typeof startProcess;
  readonly takeTurn: TakeTurn;
}

interface WriteOptions {
  readonly signal: AbortSignal;
  /** Called with the number of changed rows, once they are committed. */
  onCommit(changes: number): void;
}

/** Seconds that a worker may be late. */
const PATIENCE = 5;

/** The only writer of the file. A transaction that waits too long for its turn fails as unavailable. */
export class Writer implements AsyncDisposable {
  readonly #options: WriterOptions;
  readonly #pool: WorkerPool;
  readonly #queue = new WriteQueue((next) => this.#commit(next));
  /** Transactions that have not begun yet. */
  #beginning = 0;

  constructor(options: WriterOptions) {
    const { file, settings, start } = options;
    const open = { busyTimeout: milliseconds(settings.acquireTimeout), readonly: false, writes: true };
    this.#options = options;
    this.#pool = new WorkerPool({
      settings: { ...settings, max: 1 },
      start,
      greeting: { kind: "start", file, options: open },
      busy: "Other transactions are being written",
    });
  }

  /** Waits up to `acquireTimeout` for its turn and for other programs that write, together. */
  async begin({ signal, onCommit }: WriteOptions): Promise<WriteTransaction> {
    this.#beginning++;
    try {
      const until = this.#startOfWait();
      using beginning = new DisposableStack();
      const turn = beginning.use(await this.#takeTurn(signal, until));
      const lane = await this.#begin(signal, until);
      beginning.move();
      const port = transactionOn(lane, this.#pool, { onCommit, turn });
      return new WriteTransaction(port, { signal, seconds: this.#options.settings.statementTimeout });
    } finally {
      this.#beginning--;
    }
  }

  /** Runs one statement, see {@link WriteQueue.add}. */
  write(write: PackedWrite, options: Pick<WriteOptions, "signal">): Promise<Outcome> {
    return this.#queue.add(write, options);
  }

  /** Its worker, and the transactions and writes that wait for it. */
  get usage(): DatabaseUsage {
    return { ...this.#pool.usage, waiting: this.#beginning + this.#queue.waiting };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }

  /**
   * The whole transaction has the time of one statement. It begins with its
   * message unless another program writes.
   */
  async #commit(next: NextWrites): Promise<readonly PackedResult[]> {
    const until = this.#startOfWait();
    using _turn = await this.#takeTurn(NEVER, until);
    const results = await this.#send(next, until);
    if (results) return results;
    next.putBack();
    const lane = await this.#begin(NEVER, until);
    return await this.#group(lane, next.take(), until) ?? [];
  }

  #takeTurn(signal: AbortSignal, until: number): Promise<Disposable> {
    return this.#options.takeTurn(this.#options.identity, {
      signal,
      seconds: Math.max(0.001, (until - performance.now()) / 1000),
    });
  }

  /** Undefined if nothing has run: another program writes, or the worker has died while idle. */
  async #send(next: NextWrites, until: number): Promise<readonly PackedResult[] | undefined> {
    const lane = await this.#pool.acquire(NEVER);
    return await this.#group(lane, next.take(), until).catch((error: unknown) => {
      if (error instanceof WorkerEnded && error.isUnused) return undefined;
      throw error;
    });
  }

  async #group(
    lane: Lane,
    writes: readonly PackedWrite[],
    until: number,
  ): Promise<readonly PackedResult[] | undefined> {
    try {
      const wait = until - performance.now();
      const answer = await this.#pool.limit(lane, lane.ask({ kind: "group", writes, wait }));
      return answer.kind === "group" ? answer.results : undefined;
    } catch (error) {
      // A message that cannot be made leaves the transaction open.
      this.#pool.discard(lane);
      throw error;
    } finally {
      this.#pool.release(lane);
    }
  }

  /** The file may have been replaced. */
  #startOfWait(): number {
    const { file, identity, mayWrite, settings } = this.#options;
    if (!mayWrite) throw readOnly();
    requireStill(file, identity);
    return performance.now() + milliseconds(settings.acquireTimeout);
  }

  /** A worker that has begun a transaction. */
  async #begin(signal: AbortSignal, until: number): Promise<Lane> {
    return await this.#beginUntil(until, signal).catch((error: unknown) => {
      // A worker may have died while idle; no work is lost, so another one takes over silently.
      if (error instanceof WorkerEnded) return this.#beginUntil(until, signal);
      throw error;
    });
  }

  /** `until` is in milliseconds of `performance.now()`. */
  async #beginUntil(until: number, signal: AbortSignal): Promise<Lane> {
    const lane = await this.#pool.acquire(signal);
    try {
      const wait = Math.max(0, until - performance.now());
      await bounded(lane.ask({ kind: "begin", wait }), {
        signal,
        seconds: wait / 1000 + PATIENCE,
        expired: () => new DatabaseFailure("unavailable", "The database's file does not respond"),
        giveUp: () => this.#pool.discard(lane),
      });
      return lane;
    } catch (error) {
      this.#pool.release(lane);
      throw error;
    }
  }
}

/**
 * A transaction that its worker has begun. The worker rolls back after a failure; its end rolls back as well.
 */
function transactionOn(
  lane: Lane,
  pool: WorkerPool,
  { onCommit, turn }: Pick<WriteOptions, "onCommit"> & { readonly turn: Disposable },
): TransactionPort {
  let changes = 0;
  return {
    async run(text, parameters, signal) {
      const rows: Row[] = [];
      const request: Request = { kind: "run", runs: [packRun(text, parameters)] };
      const done = await pool.limit(lane, lane.collect(request, [rows]), signal);
      changes += done.changes;
      return { rows, changes: done.changes };
    },
    async commit() {
      await pool.limit(lane, lane.ask({ kind: "commit" }));
      onCommit(changes);
    },
    async rollback() {
      await pool.limit(lane, lane.ask({ kind: "rollback" }));
    },
    release(isBroken) {
      if (isBroken) pool.discard(lane);
      else pool.release(lane);
      turn[Symbol.dispose]();
    },
  };
}
