/**
 * Reads what the files of sessions hold, and when they end.
 *
 * @module
 */

import { join } from "node:path";
import { namesIn, readIfThere } from "@/core/storage/shared_file.ts";

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
