/**
 * Decides when a file that others may be writing is complete: it has not changed for a second, or the service wrote it. A
 * copy or an editor may take long, and a half-written file lacks users.
 *
 * @module
 */

import { createHash } from "node:crypto";

/** Milliseconds without a change. */
const QUIET = 1000;

/** Whether a file that was changed at `changed` is complete. A clock that was set back causes no delay. */
export function isSettled(changed: number, now: number): boolean {
  return now < changed || now - changed >= QUIET;
}

/** SHA-256 of a file's content, in hexadecimal. */
export function contentHash(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Whether the service wrote the content with this hash, so that it is complete. The lock file records such hashes. */
export async function isOwnWriting(path: string, hash: string): Promise<boolean> {
  try {
    const own = await Deno.readTextFile(`${await Deno.realPath(path)}.lock`);
    return own.split("\n").includes(hash);
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}
