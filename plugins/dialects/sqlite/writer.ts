/**
 * Transactions that write: one after another, in their own worker, so that waiting for the disk delays no other request.
 *
 * @module
 */

import type { PoolSettings } from "@/plugins/contract.ts";
import { bounded } from "@/plugins/kit/bounded.ts";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";
import { WriteTransaction } from "@/plugins/kit/write_transaction.ts";
import { isReadOnly, readOnly, WorkerEnded } from "./failures.ts";
import { type FileIdentity, isStill, mayWrite } from "./file.ts";
import { type Lane, WorkerPool } from "./lane.ts";
import { SqliteTransaction, type TransactionOptions } from "./transaction.ts";

import type { startProcess } from "./transport.ts";

/** The file, and how its worker is started. */
export interface WriterOptions {
  readonly file: string;
  /** Identifies the file that is read; no other one is written. */
  readonly identity: FileIdentity;
  readonly settings: PoolSettings;
  readonly start: typeof startProcess;
}

/** Seconds that a worker may be late. */
const PATIENCE = 5;

interface Limits {
  readonly signal: AbortSignal;
  /** In milliseconds of `performance.now()`. */
  readonly until: number;
}

/** The only writer of the file. A transaction that waits too long for its turn fails as unavailable. */
export class Writer implements AsyncDisposable {
  readonly #options: WriterOptions;
  readonly #pool: WorkerPool;

  constructor(options: WriterOptions) {
    const { file, settings, start } = options;
    const open = { busyTimeout: settings.acquireTimeout * 1000, readonly: false, writes: true };
    this.#options = options;
    this.#pool = new WorkerPool({
      settings: { ...settings, max: 1 },
      start,
      greeting: { kind: "start", file, options: open },
      busy: "Other transactions are being written",
    });
  }

  /** Waits up to `acquireTimeout` for its turn and for other programs that write, together. */
  async begin(
    { signal, onCommit }: Pick<TransactionOptions, "onCommit"> & { readonly signal: AbortSignal },
  ): Promise<WriteTransaction> {
    const { statementTimeout, acquireTimeout } = this.#options.settings;
    await this.#requireWritable();
    const limits = { signal, until: performance.now() + acquireTimeout * 1000 };
    try {
      const lane = await this.#acquire(limits).catch((error: unknown) => this.#again(error, limits));
      const port = new SqliteTransaction({ lane, pool: this.#pool, statementTimeout, onCommit });
      return new WriteTransaction(port, { signal, seconds: statementTimeout });
    } catch (error) {
      throw isReadOnly(error) ? readOnly(error) : error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }

  /** A worker that has begun a transaction. */
  async #acquire({ signal, until }: Limits): Promise<Lane> {
    const lane = await this.#pool.acquire(signal);
    try {
      const wait = Math.max(0, until - performance.now());
      const giveUp = () => this.#pool.discard(lane);
      await bounded(lane.ask({ kind: "begin", wait }), {
        signal,
        seconds: wait / 1000 + PATIENCE,
        expired: stuck,
        giveUp,
      });
      return lane;
    } catch (error) {
      this.#pool.release(lane);
      throw error;
    }
  }

  /** A worker may have died while idle; no work is lost, so another one takes over silently. */
  #again(error: unknown, limits: Limits): Promise<Lane> {
    if (error instanceof WorkerEnded) return this.#acquire(limits);
    throw error;
  }

  /** Native code opens the file outside Deno's permissions, and a worker may have opened it long ago. */
  async #requireWritable(): Promise<void> {
    const { file, identity } = this.#options;
    if (!await mayWrite(file)) throw readOnly();
    if (await isStill(file, identity)) return;
    throw new DatabaseFailure("unavailable", "The database's file has been removed or replaced");
  }
}

function stuck(): Error {
  return new DatabaseFailure("unavailable", "The database's file does not respond");
}
