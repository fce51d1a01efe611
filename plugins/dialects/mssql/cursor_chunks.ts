/**
 * Rows in chunks as their reader asks for them, from a cursor.
 *
 * @module
 */

import type { Row } from "@/plugins/contract.ts";
import type { Cursor } from "./cursor.ts";
import { MssqlFailure } from "./failures.ts";
import type { Bounds } from "./running.ts";
import type { RowChunks } from "./streaming.ts";

/** A cursor that is open, and who has to be told when it is not needed any more. */
export interface CursorChunksOptions {
  readonly cursor: Cursor;
  /** What has been fetched already. */
  readonly first: readonly Row[];
  readonly fetchSize: number;
  /** Of each fetch, and of each rest of the reader. */
  readonly bounds: Bounds;
  /** Closes the cursor and gives the connection back; never rejects. */
  finish(): Promise<void>;
}

/** One fetch for each chunk; between them the server waits, and no result is under way. */
export class CursorChunks implements RowChunks {
  readonly #options: CursorChunksOptions;
  #first: readonly Row[] | undefined;
  #finishing: Promise<void> | undefined;
  #isAtEnd = false;
  /** Why it ended while nobody was waiting for it. */
  #failure: { readonly error: unknown } | undefined;
  #stopWatching = () => {};

  constructor(options: CursorChunksOptions) {
    this.#options = options;
    this.#first = options.first;
  }

  async next(): Promise<readonly Row[] | undefined> {
    this.#stopWatching();
    if (this.#finishing) return await this.#ended(this.#finishing);
    try {
      const rows = await this.#fetch();
      if (rows.length === 0) return this.#end();
      this.#watchReader();
      return rows;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#stopWatching();
    this.#finishing ??= this.#options.finish();
    if (!this.#isAtEnd) await this.#finishing;
  }

  /** A reader that has everything does not wait until the connection is free. */
  #end(): undefined {
    this.#isAtEnd = true;
    void this.stop();
  }

  async #ended(finishing: Promise<void>): Promise<undefined> {
    await finishing;
    if (this.#failure) throw this.#failure.error;
  }

  async #fetch(): Promise<readonly Row[]> {
    const first = this.#first;
    this.#first = undefined;
    const { cursor, fetchSize, bounds } = this.#options;
    return first ?? await cursor.fetch(fetchSize, boundsOfFetch(bounds));
  }

  /** Between two fetches nothing else notices that the client has gone, or reads nothing. */
  #watchReader(): void {
    const { signal, limit } = this.#options.bounds;
    const onAbort = () => this.#giveUp(signal.reason);
    const overdue = () => this.#giveUp(new MssqlFailure("timeout", "Nobody has read on for too long"));
    const timer = limit > 0 ? setTimeout(overdue, limit) : undefined;
    signal.addEventListener("abort", onAbort, { once: true });
    this.#stopWatching = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    if (signal.aborted) onAbort();
  }

  #giveUp(error: unknown): void {
    this.#failure = { error };
    void this.stop();
  }
}

/** What one fetch may take. */
export function boundsOfFetch({ signal, limit }: Bounds): Bounds {
  const overdue = () => new MssqlFailure("timeout", "The statement took too long to give its next rows");
  return { signal, limit, overdue };
}
