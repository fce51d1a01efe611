/**
 * Keeps databases open while they are used, also after others have replaced them.
 *
 * @module
 */

import type { Database } from "@/plugins/contract.ts";

/** The uses of databases. A replaced database is closed when its last use ends. */
export class Leases {
  readonly #close: (database: Database) => Promise<void>;
  readonly #uses = new Map<Database, number>();
  /** Replaced databases that are still in use. */
  readonly #retired = new Set<Database>();

  /** `close` never rejects. */
  constructor(close: (database: Database) => Promise<void>) {
    this.#close = close;
  }

  /** Keeps a database open until the use is disposed. */
  take(database: Database): Disposable {
    this.#uses.set(database, (this.#uses.get(database) ?? 0) + 1);
    return { [Symbol.dispose]: () => this.#release(database) };
  }

  /** Closes replaced databases: unused ones at once, the others when their last use ends. */
  async retire(databases: readonly Database[]): Promise<void> {
    for (const database of databases) {
      if (this.#uses.has(database)) this.#retired.add(database);
      else await this.#close(database);
    }
  }

  /** Closes these databases and all replaced ones, whether they are used or not. */
  async closeAll(databases: readonly Database[]): Promise<void> {
    const open = new Set([...this.#retired, ...databases]);
    await Promise.all([...open].map((database) => this.#close(database)));
  }

  #release(database: Database): void {
    const uses = (this.#uses.get(database) ?? 1) - 1;
    if (uses > 0) {
      this.#uses.set(database, uses);
      return;
    }
    this.#uses.delete(database);
    if (this.#retired.delete(database)) void this.#close(database);
  }
}
