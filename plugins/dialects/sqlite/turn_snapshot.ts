/**
 * The read transaction that the reads of one turn of the event loop share.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import type { Handle, Statement } from "./driver.ts";

/**
 * SQLite locks the file and looks for changes at the beginning of each transaction, which takes longer than
 * to read a record by its key. The requests of a turn arrived before its first read, so none gets data that
 * is older than itself (docs/decisions/sqlite-snapshots.md).
 */
export class TurnSnapshot {
  readonly #handle: Handle;
  readonly #begin: Statement;
  readonly #rollback: Statement;
  #isBegun = false;

  constructor(handle: Handle) {
    this.#handle = handle;
    this.#begin = handle.prepare("BEGIN");
    this.#rollback = handle.prepare("ROLLBACK");
  }

  /** The statements from here to the end of the turn see the same data. */
  join(): void {
    if (this.#isBegun) return;
    this.#begin.run();
    this.#isBegun = true;
    setImmediate(() => this.end());
  }

  /** The next statement sees everything that has been written. */
  end(): void {
    this.#isBegun = false;
    // Some errors have ended it already. In a damaged file a commit fails, though nothing was written.
    if (this.#handle.open && this.#handle.inTransaction) this.#rollback.run();
  }
}
