/**
 * Copies a database while others write into it.
 *
 * @module
 */

import { openHandle } from "./driver.ts";

/** Milliseconds that the copy waits for a lock. */
const PATIENCE = 10_000;

/** Writes what is committed at this moment into a new file. Throws SQLite's errors. */
export function copyDatabase(file: string, copy: string): void {
  // SQLite counts `VACUUM INTO` as writing, also for `query_only`.
  const handle = openHandle(file, { readonly: false, busyTimeout: PATIENCE, writes: true });
  try {
    handle.prepare("VACUUM INTO ?").run([copy]);
  } finally {
    handle.close();
  }
}
