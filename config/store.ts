/**
 * Changes configuration files: one writer at a time, and a reader sees the old file or the new one, never a part.
 *
 * @module
 */

import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { quote } from "@/core/errors.ts";
import { ConfigurationError } from "./complaints.ts";
import { editYaml, type YamlDocument } from "./yaml.ts";

export type { YamlDocument } from "./yaml.ts";

/** The system does not let a file be read, locked or written: it is read-only, the disk is full, a directory. */
export class FileFailure extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
    this.name = "FileFailure";
  }
}

const LONGEST_WAIT = 10_000;
const PAUSE = 20;

/** What happens to a file while nobody else can write it. */
export interface Update {
  /** Gets the document and the text that it was read from. */
  change(document: YamlDocument, text: string): void;
  /** Looks at the new text; what it throws leaves the file as it is. */
  verify?(text: string): void;
}

/**
 * Edits a YAML file (an absent one counts as empty) and keeps its comments, order and `${NAME}`. Other processes and
 * nodes wait meanwhile. Throws {@link ConfigurationError} when the file is no YAML, {@link FileFailure}, and whatever
 * `change` throws; the file is unchanged then.
 */
export async function updateYamlFile(
  path: string,
  update: Update["change"] | Update,
): Promise<void> {
  const { change, verify } = typeof update === "function" ? { change: update, verify: undefined } : update;
  const target = await ofSystem(realPath(path));
  using _lock = await ofSystem(lock(`${target}.lock`));
  const before = await ofSystem(readUtf8(target, path));
  const { text, faults } = editYaml(before ?? "", (document) => change(document, before ?? ""));
  if (faults.length > 0) {
    throw new ConfigurationError(faults.map(({ line, message }) => ({
      file: path,
      key: "",
      message: line === undefined ? message : `Line ${line}: ${message}`,
    })));
  }
  if (text === before) return;
  verify?.(text);
  await ofSystem(replaceFile(target, text));
}

async function ofSystem<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ConfigurationError || !(error instanceof Error)) throw error;
    throw new FileFailure(error);
  }
}

/** Puts a file with this text in place of the one that is there; it is its owner's only unless it had another mode. */
export async function writeFileAtomically(path: string, text: string): Promise<void> {
  const target = await realPath(path);
  using _lock = await lock(`${target}.lock`);
  await replaceFile(target, text);
}

/**
 * Locks an advisory lock file. The system gives the lock back when its holder ends, however that happens, so a lock is
 * never stale; the file itself stays, because removing it would let two holders in.
 */
async function lock(path: string): Promise<Deno.FsFile> {
  const file = await Deno.open(path, { write: true, create: true, mode: 0o600 });
  const deadline = performance.now() + LONGEST_WAIT;
  while (!await file.tryLock(true)) {
    if (performance.now() > deadline) {
      file.close();
      throw new Error(`Cannot lock ${quote(path)}: another process has held it for ${LONGEST_WAIT / 1000} s`);
    }
    await setTimeout(PAUSE);
  }
  return file;
}

/** Writes beside the file and renames over it. Whatever an interrupted write left behind is replaced. */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.tmp`);
  await removeIfThere(temporary);
  await writeDurably(temporary, text, await modeOf(path));
  await Deno.rename(temporary, path);
  await syncDirectory(dirname(path));
}

async function writeDurably(path: string, text: string, mode: number): Promise<void> {
  // Private from the start: the final mode comes when the content is there.
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  const bytes = new TextEncoder().encode(text);
  for (let written = 0; written < bytes.length;) written += await file.write(bytes.subarray(written));
  if (Deno.build.os !== "windows") await Deno.chmod(path, mode);
  await file.sync();
}

/** Makes the rename itself survive a power failure; Windows has no such operation. */
async function syncDirectory(path: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  using directory = await Deno.open(path);
  await directory.sync();
}

/** The file behind symbolic links, so that a link stays one. */
async function realPath(path: string): Promise<string> {
  return await ifThere(Deno.realPath(path)) ?? path;
}

/** Other bytes than text would come back changed, so such a file is not written. */
async function readUtf8(target: string, path: string): Promise<string | undefined> {
  const bytes = await ifThere(Deno.readFile(target));
  try {
    return bytes && new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ConfigurationError([{
      file: path,
      key: "",
      message: "Expected UTF-8 text, found other bytes",
    }]);
  }
}

async function modeOf(path: string): Promise<number> {
  const mode = (await ifThere(Deno.stat(path)))?.mode;
  return typeof mode === "number" ? mode & 0o777 : 0o600;
}

/** Removes a file; none is fine. */
export async function removeIfThere(path: string): Promise<void> {
  await ifThere(Deno.remove(path));
}

async function ifThere<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
