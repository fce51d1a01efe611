/**
 * What all test files of one run share: each is loaded by itself, so they find it through a file that is named after the
 * process that runs them.
 *
 * @module
 */

import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The value that the first file of this run makes and the others find. `make` gets a directory's name: whoever keeps
 * something there removes it and the file beside it, `{directory}.json`, when the run has ended.
 */
export async function oncePerRun<T>(name: string, make: (directory: string) => Promise<T>): Promise<T> {
  const directory = join(tmpdir(), `rowhouse-run-${Deno.pid}-${name}`);
  const path = `${directory}.json`;
  using file = await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 });
  await file.lock(true);
  const text = await Deno.readTextFile(path);
  if (text !== "") return JSON.parse(text) as T;
  const value = await make(directory);
  await Deno.writeTextFile(path, JSON.stringify(value));
  return value;
}
