/**
 * Copies a database while others write into it.
 *
 * @module
 */

import { openHandle } from "./driver.ts";

/** Milliseconds that the copy waits for a lock. */
const PATIENCE = 10_000;

/**
 * Writes what is committed at this moment into a new file, page by page: `VACUUM INTO` needs the collations
 * and functions of the program that made the file. Throws SQLite's errors.
 */
export async function copyDatabase(file: string, copy: string): Promise<void> {
  const handle = openHandle(file, { readonly: false, busyTimeout: PATIENCE });
  try {
    // The copy has the pages of this transaction, although others write meanwhile.
    handle.exec("BEGIN; SELECT 1 FROM sqlite_schema");
    await handle.backup(copy);
  } finally {
    handle.close();
  }
}
