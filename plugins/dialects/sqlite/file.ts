/**
 * The file of a database. better-sqlite3 is native code outside Deno's permissions, so this module
 * decides which files may be opened.
 *
 * @module
 */

import { rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve, sep as SEPARATOR } from "node:path";
import { DatabaseFailure } from "@/plugins/kit/database_failure.ts";

/** The file that a definition names. Throws if SQLite would interpret the name differently. */
export function resolveFile(name: string, directory: string): string {
  const trimmed = name.trim();
  if (trimmed === "") {
    throw new Error("Cannot connect: db_name is empty, expected the path of an SQLite file");
  }
  if (/^:memory:$/i.test(trimmed)) {
    throw new Error('Cannot connect to ":memory:": expected the path of an SQLite file');
  }
  if (/^file:/i.test(trimmed)) {
    throw new Error(`Cannot connect to "${trimmed}": expected a path, not a file: URI`);
  }
  if (trimmed.includes("\0")) throw new Error("Cannot connect: db_name contains a NUL character");
  return resolve(directory, trimmed);
}

/** Throws unless the file is inside one of the directories after following symbolic links. */
export async function requireInside(file: string, directories: readonly string[]): Promise<void> {
  const real = await realPath(file);
  for (const directory of directories) {
    if (real.startsWith(join(await realPath(directory), SEPARATOR))) return;
  }
  throw new Error(`Cannot open database "${file}": it is in none of the directories of sqlite.directories`);
}

/** A missing file is resolved by its directory. */
async function realPath(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    const parent = dirname(path);
    return parent === path ? path : join(await realPath(parent), basename(path));
  }
}

/**
 * A text that distinguishes a file from another one that has replaced it.
 * Throws unless it is a readable file.
 */
export async function identifyFile(file: string): Promise<string> {
  const info = await Deno.stat(file).catch((cause: unknown) => {
    if (!isUnreachable(cause)) throw cause;
    const reason = cause instanceof Deno.errors.NotFound ? "there is no such file" : "it may not be read";
    throw new Error(`Cannot open database "${file}": ${reason}`, { cause });
  });
  // Deno looks at the name of a link, native code opens the file behind it.
  const { state } = await Deno.permissions.query({ name: "read", path: await Deno.realPath(file) });
  if (state !== "granted") throw new Error(`Cannot open database "${file}": it may not be read`);
  if (info.isDirectory) throw new Error(`Cannot open database "${file}": it is a directory`);
  if (!info.isFile) throw new Error(`Cannot open database "${file}": it is not a regular file`);
  return identityOf(info);
}

/** True as long as the path leads to the file with this identity. Takes some microseconds. */
export function isStill(file: string, identity: string): boolean {
  return identityOrNone(file) === identity;
}

/** Throws unless {@link isStill}. */
export function requireStill(file: string, identity: string): void {
  if (isStill(file, identity)) return;
  throw new DatabaseFailure("unavailable", "The database's file has been removed or replaced");
}

/** The logs of the files that were opened last, by the real paths of the files. */
const logs = new Map<string, { readonly file: string; readonly log: string | undefined }>();

/** Notes the log of an opened file, for {@link removeForeignLog}; returns its path, which follows links. */
export function noteLog(file: string, identity: string): string {
  const real = Deno.realPathSync(file);
  const log = `${real}-wal`;
  logs.set(real, { file: identity, log: identityOrNone(log) });
  return log;
}

/**
 * Removes the log that a file has left behind which was in this one's place before: SQLite would write its
 * pages into this one. A file that was moved away and back keeps its log, which may have its last commits.
 */
export function removeForeignLog(file: string, identity: string): void {
  const real = Deno.realPathSync(file);
  const { file: before = identity, log } = logs.get(real) ?? {};
  if (before === identity || log === undefined || identityOrNone(`${real}-wal`) !== log) return;
  for (const end of ["-wal", "-shm"]) rmSync(real + end, { force: true });
}

function identityOrNone(file: string): string | undefined {
  try {
    return identityOf(Deno.statSync(file));
  } catch (error) {
    if (isUnreachable(error)) return undefined;
    throw error;
  }
}

/** A new file may have the number of one that was removed. */
function identityOf({ dev, ino, birthtime }: Deno.FileInfo): string {
  return `${dev} ${ino} ${birthtime?.getTime()}`;
}

/** Whether Deno's permission to write covers the file; the file system may still refuse. */
export async function mayWrite(file: string): Promise<boolean> {
  // Deno looks at the name of a link, native code opens the file behind it.
  const { state } = await Deno.permissions.query({ name: "write", path: await Deno.realPath(file) });
  return state === "granted";
}

function isUnreachable(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied ||
    error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.NotADirectory;
}

/** Bytes of a file, 0 if there is none. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
