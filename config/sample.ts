/**
 * The sample configuration of the first run and of `init`, and the demo database that it defines.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { removeIfThere } from "@/core/storage/shared_file.ts";

const FIRST_RUN = "regular-initial";
/**
 * The files with the mode of each. A start writes them while there is no service.ini, and the first run is
 * for a directory without users, so that an interrupted one goes on.
 */
const FILES: readonly (readonly [name: string, mode: number])[] = [
  [FIRST_RUN, 0o644],
  ["auth.cfg", 0o600],
  ["databases.cfg", 0o600],
  ["querydefs.cfg", 0o644],
  ["users.cfg", 0o600],
  ["service.ini", 0o600],
];

/** Copies the sample files that do not exist yet and returns their paths. */
export async function writeSample(directory: string): Promise<string[]> {
  await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
  // If users are defined already, the first run is over or handled by the operator: it is not started again.
  const hasUsers = existsSync(join(directory, "users.cfg"));
  const written: string[] = [];
  for (const [name, mode] of FILES) {
    const path = join(directory, name);
    if (name === FIRST_RUN && hasUsers) continue;
    if (await writeNew(path, await Deno.readFile(sampleFile(name)), mode)) written.push(path);
  }
  return written;
}

/** The sample's auth.cfg. */
export function readSampleMethods(): string {
  return Deno.readTextFileSync(sampleFile("auth.cfg"));
}

/** The script that creates the demo database. */
export function readDemo(): string {
  return Deno.readTextFileSync(sampleFile("demo.sql"));
}

/** A URL relative to this module also works inside a compiled binary. */
function sampleFile(name: string): URL {
  return new URL(`./sample/${name}`, import.meta.url);
}

async function writeNew(path: string, content: Uint8Array, mode: number): Promise<boolean> {
  try {
    await Deno.writeFile(path, content, { createNew: true, mode });
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    // The disk is full: the next attempt would keep the part that is there.
    await removeIfThere(path);
    throw error;
  }
}
