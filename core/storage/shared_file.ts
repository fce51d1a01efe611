/**
 * Files that several processes change: one writer at a time, and readers see the old content or the new, never a part.
 *
 * @module
 */

import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { quote } from "@/core/errors.ts";

const LONGEST_WAIT = 5_000;
const PAUSE = 5;

/** Another process has held a lock for too long. */
export class LockedOut extends Error {
  constructor(path: string) {
    super(`Cannot lock ${quote(path)}: another process does not give it back`);
    this.name = "LockedOut";
  }
}

/**
 * Takes an advisory lock; disposing of it releases it. The system releases it when its holder ends, so a lock is never
 * stale. The file stays, because removing it would let two holders in. Throws {@link LockedOut} after `longest`
 * milliseconds.
 */
export async function lockFile(path: string, longest = LONGEST_WAIT): Promise<Deno.FsFile> {
  const file = await inDirectory(dirname(path), () => {
    return Deno.open(path, { write: true, create: true, mode: 0o600 });
  });
  const deadline = performance.now() + longest;
  while (!file.tryLockSync(true)) {
    if (performance.now() > deadline) {
      file.close();
      throw new LockedOut(path);
    }
    await setTimeout(PAUSE);
  }
  return file;
}

/** Creates a file, and its directory if that was removed from outside, for example by a cleaning job. */
export async function inDirectory<T>(directory: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
    return await make();
  }
}

/** Replaces a file, readable for its owner only. The caller holds a lock, so the temporary name is not in use. */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.tmp`);
  await Deno.writeTextFile(temporary, text, { mode: 0o600 });
  await Deno.rename(temporary, path);
}

/** The text of a file; undefined if it does not exist. */
export async function readIfThere(path: string): Promise<string | undefined> {
  return await ifThere(Deno.readTextFile(path));
}

/** Removes a file if it exists. */
export async function removeIfThere(path: string): Promise<void> {
  await ifThere(Deno.remove(path));
}

/** The result of an operation on a file; undefined if the file does not exist. */
export async function ifThere<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
