/**
 * Creates a new database file.
 *
 * @module
 */

import { lstatSync, rmSync } from "node:fs";
import { Handle } from "./driver.ts";

/**
 * Runs the script in one transaction on a temporary file, which is renamed to `path` when it is
 * complete. Throws if `path` exists.
 */
export function createDatabase(path: string, script: string): void {
  const draft = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    fill(draft, script);
    publish(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

function fill(file: string, script: string): void {
  const handle = new Handle(file);
  try {
    handle.pragma("journal_mode = MEMORY");
    handle.exec("BEGIN");
    handle.exec(script);
    handle.exec("COMMIT");
    handle.exec("ANALYZE");
    handle.pragma("journal_mode = WAL");
  } finally {
    handle.close();
  }
}

/**
 * Creating a link fails if the name exists; renaming would replace the file, so it is
 * only for file systems without links.
 */
function publish(draft: string, path: string): void {
  try {
    Deno.linkSync(draft, path);
  } catch (cause) {
    if (lstatSync(path, { throwIfNoEntry: false })) {
      throw new Error(`Cannot create database "${path}": the file exists`, { cause });
    }
    Deno.renameSync(draft, path);
  }
}
