/**
 * Files that several processes use, and that may be absent.
 *
 * @module
 */

import { lchown } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";

/** Milliseconds between two attempts to lock a file. */
const PAUSE = 2;

/**
 * Takes the lock of an open file; false if another process keeps it for `longest` milliseconds. The system
 * releases it when the file is closed or its holder ends, so a lock is never stale. The file stays, because
 * removing it would let two holders in.
 */
export async function lockWithin(file: Deno.FsFile, longest: number): Promise<boolean> {
  const deadline = performance.now() + longest;
  while (!file.tryLockSync(true)) {
    if (performance.now() > deadline) return false;
    await setTimeout(PAUSE);
  }
  return true;
}

/** Locks a file, which is made if it is missing. Throws after `longest` milliseconds. */
export async function lockFile(path: string, longest: number): Promise<Deno.FsFile> {
  const file = await Deno.open(path, { write: true, create: true, mode: 0o600 });
  if (await lockWithin(file, longest)) return file;
  file.close();
  throw new Error(`Cannot lock "${path}": another process has held it for ${longest / 1000} s`);
}

/**
 * Gives a file that this process has made to the owner of the one at `place`, or of its directory. Only root
 * can, who sets a password for instance: the service must be able to read and write its files after that.
 */
export async function keepOwner(made: string, place: string): Promise<void> {
  const { uid, gid } = await ifThere(Deno.stat(place)) ?? await Deno.stat(dirname(place));
  // Windows has none.
  if (uid === null || gid === null) return;
  const own = await Deno.lstat(made);
  if (own.uid === uid && own.gid === gid) return;
  // Others keep what they have made. The owner may have put a link to any file of the machine in its place.
  await lchown(made, uid, gid).catch(() => {});
}

/** Makes a file survive a power failure. Windows flushes only files that are open for writing. */
export async function syncFile(path: string): Promise<void> {
  using file = await Deno.open(path, { read: true, write: Deno.build.os === "windows" });
  await file.sync();
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

/** The names in a directory; none if it does not exist. */
export async function namesIn(directory: string): Promise<readonly string[]> {
  return await ifThere(Array.fromAsync(Deno.readDir(directory), ({ name }) => name)) ?? [];
}

/** The text of a file; undefined if it does not exist. */
export async function readIfThere(path: string): Promise<string | undefined> {
  return await ifThere(Deno.readTextFile(path));
}

/** Whether a file or directory exists. */
export async function isThere(path: string): Promise<boolean> {
  return await ifThere(Deno.stat(path)) !== undefined;
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
