/**
 * The sample configuration of the first run and of `init`, and the demo database that it defines.
 *
 * @module
 */

import { join } from "node:path";

const PRIVATE = 0o600;
const READABLE = 0o644;
const FILES: ReadonlyMap<string, number> = new Map([
  ["service.ini", PRIVATE],
  ["auth.cfg", PRIVATE],
  ["databases.cfg", PRIVATE],
  ["users.cfg", PRIVATE],
  ["querydefs.cfg", READABLE],
  ["regular-initial", READABLE],
]);

/** Copies the sample files that do not exist yet and returns their paths. */
export async function writeSample(directory: string): Promise<string[]> {
  await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
  const written: string[] = [];
  for (const name of await names(directory)) {
    const path = join(directory, name);
    const content = await Deno.readFile(sampleFile(name));
    if (await writeNew(path, content, FILES.get(name) ?? PRIVATE)) written.push(path);
  }
  return written;
}

/** The script that creates the demo database. */
export function readDemo(): string {
  return Deno.readTextFileSync(sampleFile("demo.sql"));
}

/** A URL relative to this module also works inside a compiled binary. */
function sampleFile(name: string): URL {
  return new URL(`./sample/${name}`, import.meta.url);
}

/** If users are defined already, the first run is over or handled by the operator: it is not started again. */
async function names(directory: string): Promise<string[]> {
  const all = [...FILES.keys()];
  return await exists(join(directory, "users.cfg")) ? all.filter((name) => name !== "regular-initial") : all;
}

async function writeNew(path: string, content: Uint8Array, mode: number): Promise<boolean> {
  try {
    await Deno.writeFile(path, content, { createNew: true, mode });
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
