/**
 * Values that all test files of one run share. Each file is loaded by itself; a file named after the process
 * of the run tells them the value.
 *
 * @module
 */

import { join } from "node:path";
import { serverFolder } from "./programs.ts";

/**
 * The value that the first file of this run makes and the others find. `make` gets the name of a directory.
 * If it makes the directory, it must also see that the directory and the file beside it, `{directory}.json`,
 * are removed when the run has ended.
 */
export async function oncePerRun<T>(name: string, make: (directory: string) => Promise<T>): Promise<T> {
  const directory = join(serverFolder(), `rowhouse-run-${Deno.pid}-${name}`);
  const path = `${directory}.json`;
  using file = await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 });
  await file.lock(true);
  const text = await Deno.readTextFile(path);
  if (text !== "") return JSON.parse(text) as T;
  const value = await make(directory);
  await Deno.writeTextFile(path, JSON.stringify(value));
  return value;
}
