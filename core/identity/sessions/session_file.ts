/**
 * One file of a session, and the lock of its directory.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { inDirectory, lockWithin, namesIn, readIfThere } from "@/core/storage/shared_file.ts";

/** Locks a file, which is made if it is missing. Throws after `longest` milliseconds. */
export async function lockFile(path: string, longest: number): Promise<Disposable> {
  const open = () => Deno.open(path, { write: true, create: true, mode: 0o600 });
  const file = await inDirectory(dirname(path), open);
  if (await lockWithin(file, longest)) return file;
  file.close();
  throw new Error(`Cannot lock "${path}": another process does not give it back`);
}

/** The value in a file and when it ends; a damaged file has ended. */
export function parseFile(text = ""): { readonly value: string; readonly end: number } {
  const [, end = "0", value = ""] = /^(\d+)\n(.*)$/s.exec(text) ?? [];
  return { value, end: Number(end) };
}

/** The paths of the files of a directory; none without the directory. */
export async function pathsIn(directory: string): Promise<readonly string[]> {
  return (await namesIn(directory)).map((name) => join(directory, name));
}

/**
 * Files, and when they end. A temporary file is left from an interrupted write: no process
 * writes while the directory is locked.
 */
export async function endsIn(
  paths: readonly string[],
): Promise<readonly { readonly path: string; readonly end: number }[]> {
  return await Promise.all(paths.map(async (path) => {
    return { path, end: path.endsWith(".tmp") ? 0 : parseFile(await readIfThere(path)).end };
  }));
}
