/**
 * Opens the file for reading, with the settings that every handle has.
 *
 * @module
 */

import { Handle } from "./driver.ts";

export interface OpenOptions {
  /** Milliseconds that a statement waits for a lock. */
  readonly busyTimeout: number;
  /** False where a read-only handle cannot be had: SQLite then keeps us from writing by `query_only`. */
  readonly readonly: boolean;
}

/**
 * Never creates a file. No memory map: reading by key is 10 percent faster with one in a file of 86 MB, and no faster
 * in small files, but the whole service would die (SIGBUS) when another program truncates the file in place.
 */
export function openHandle(file: string, options: OpenOptions): Handle {
  const handle = new Handle(file, {
    readonly: options.readonly,
    fileMustExist: true,
    timeout: options.busyTimeout,
  });
  try {
    handle.pragma("query_only = ON");
    handle.pragma("trusted_schema = OFF");
    handle.pragma("schema_version");
  } catch (error) {
    handle.close();
    throw error;
  }
  return handle;
}
