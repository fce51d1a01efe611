/**
 * Changes configuration files: one writer at a time, and a reader sees the old
 * file or the new one, never a part.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { quote } from "@/core/errors.ts";
import { ifThere, keepOwner, lockFile, removeIfThere } from "@/core/storage/shared_file.ts";
import { ConfigurationError } from "./configuration.ts";
import { editYaml, type YamlDocument } from "./yaml.ts";

/** The system refuses to read, lock or write a file: it is read-only or a directory, or the disk is full. */
export class FileFailure extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
    this.name = "FileFailure";
  }
}

const LONGEST_WAIT = 10_000;
const PAUSE = 20;

/** A change of a file, made while the file is locked. */
interface Update {
  /** Gets the document and its text. The result false leaves the file as it is. */
  change(document: YamlDocument, text: string): boolean | void;
  /** Checks the new text; an exception leaves the file unchanged. */
  verify?(text: string): void;
  /**
   * The only entry that it changes, or those of the file that it changes, one after the other. Absent: any.
   */
  readonly only?: string | readonly string[];
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
}

/**
 * Edits a YAML file (an absent one counts as empty) and keeps its comments, order and `${NAME}`. Other
 * processes and nodes wait meanwhile; the update itself waits while a copy or an editor writes the file.
 * Returns false if `change` does. Throws {@link ConfigurationError} if the file is not YAML, {@link
 * FileFailure}, and the errors of `change`; the file is then unchanged.
 */
export async function updateYamlFile(path: string, update: Update["change"] | Update): Promise<boolean> {
  const { change, verify, only, now = Date.now }: Update = typeof update === "function"
    ? { change: update }
    : update;
  const target = await ofSystem(realPath(path));
  using held = await ofSystem(lock(target));
  const bytes = await ofSystem(readSettled(target, now));
  const before = bytes && decode(bytes, path);
  let isMade = true;
  const { text, faults } = editYaml(before ?? "", (document) => {
    isMade = change(document, before ?? "") !== false;
  }, only);
  if (faults.length > 0) throw unusable(path, faults);
  if (!isMade || text === before) return isMade;
  verify?.(text);
  await ofSystem(replaceFile(target, text, { held, before: bytes }));
  return true;
}

function unusable(file: string, messages: readonly string[]): ConfigurationError {
  return new ConfigurationError(messages.map((message) => ({ file, key: "", message })));
}

async function ofSystem<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ConfigurationError || !(error instanceof Error)) throw error;
    throw new FileFailure(error);
  }
}

/**
 * Replaces a file by this text; only its owner may read it unless the old one had another mode. Throws {@link
 * FileFailure}.
 */
export async function writeFileAtomically(path: string, text: string): Promise<void> {
  await ofSystem(overwrite(path, text));
}

async function overwrite(path: string, text: string): Promise<void> {
  const target = await realPath(path);
  using held = await lock(target);
  await replaceFile(target, text, { held, before: await ifThere(Deno.readFile(target)) });
}

async function lock(path: string): Promise<Deno.FsFile> {
  const held = await lockFile(`${path}.lock`, LONGEST_WAIT);
  await keepOwner(`${path}.lock`, path);
  return held;
}

interface Replacing {
  readonly held: Deno.FsFile;
  /** The content from which the new text was made. */
  readonly before: Uint8Array | undefined;
}

/** Writes a temporary file and renames it. The remains of an interrupted write are replaced. */
async function replaceFile(path: string, text: string, { held, before }: Replacing): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.tmp`);
  const bytes = new TextEncoder().encode(text);
  const mode = (await ifThere(Deno.stat(path)))?.mode ?? 0o600;
  await removeIfThere(temporary);
  await writeDurably(temporary, bytes, mode & 0o777);
  await keepOwner(temporary, path);
  const [old, own, now] = [before, bytes, await ifThere(Deno.readFile(path))].map((content) =>
    content === undefined ? "" : contentHash(content)
  );
  if (now !== old) throw new Error(`${quote(path)} has just been changed by others`);
  // Readers count both as complete: the old content and the new one.
  await writeAll(held, new TextEncoder().encode(`${old}\n${own}\n`));
  await Deno.rename(temporary, path);
  await syncDirectory(dirname(path));
}

async function writeDurably(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  // Private from the start: the final mode is set after the content is written.
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  await writeAll(file, bytes);
  if (Deno.build.os !== "windows") await Deno.chmod(path, mode);
  await file.sync();
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) written += await file.write(bytes.subarray(written));
}

/** An invalid argument, and two numbers for what is not supported. */
const IMPOSSIBLE = /\(os error (?:22|45|95)\)/;

/** Makes the rename itself survive a power failure. Windows and some network shares cannot do it. */
async function syncDirectory(path: string): Promise<void> {
  if (Deno.build.os === "windows") return;
  using directory = await Deno.open(path);
  try {
    await directory.sync();
  } catch (error) {
    if (!(error instanceof Error) || !IMPOSSIBLE.test(error.message)) throw error;
  }
}

/** Follows symbolic links, so that a link stays one. */
async function realPath(path: string): Promise<string> {
  return await ifThere(Deno.realPath(path)) ?? path;
}

/** Reads a file once other writers have finished. */
async function readSettled(path: string, now: () => number): Promise<Uint8Array | undefined> {
  const deadline = performance.now() + LONGEST_WAIT;
  for (;;) {
    const bytes = await ifThere(Deno.readFile(path));
    if (bytes === undefined || await isOwnWriting(path, contentHash(bytes))) return bytes;
    // Checked after reading the content: a change in between gives a new time.
    const changed = (await ifThere(Deno.stat(path)))?.mtime?.getTime();
    if (changed === undefined || isSettled(changed, now())) return bytes;
    if (performance.now() > deadline) throw new Error(`${quote(path)} goes on being changed by others`);
    await setTimeout(PAUSE);
  }
}

/** Bytes that are not UTF-8 would be changed by decoding, so such a file is not written. */
function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw unusable(path, ["Expected UTF-8 text, found other bytes"]);
  }
}

/** Milliseconds without a change after which a file is complete: a copy or an editor may take long. */
const QUIET = 1000;

/** Whether a file that was changed at `changed` is complete. A clock that was set back causes no delay. */
export function isSettled(changed: number, now: number): boolean {
  return now < changed || now - changed >= QUIET;
}

/** SHA-256 of a file's content, in hexadecimal. */
export function contentHash(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/**
 * Whether the service wrote the content with this hash, so that it is complete.
 * The lock file records such hashes.
 */
export async function isOwnWriting(path: string, hash: string): Promise<boolean> {
  try {
    const own = await Deno.readTextFile(`${await Deno.realPath(path)}.lock`);
    return own.split("\n").includes(hash);
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}
