/**
 * The files of a session store. While the disk is full or read-only, this process keeps the files in memory, so that
 * logins still work.
 *
 * @module
 */

import { dirname, sep } from "node:path";
import { lockFile, readIfThere, removeIfThere, replacePrivateFile } from "@/core/storage/shared_file.ts";
import type { Log } from "@/plugins/contract.ts";

/** No permission, too large, no space, read-only, and two numbers of quotas: not all of these errors have a code. */
const REFUSED = /\(os error (?:13|27|28|30|69|122)\)/;
/** Number of files in memory; above it the oldest one is dropped. */
const MOST_KEPT = 10_000;
/** Milliseconds between two lines of the log. */
const QUIET = 60_000;
const PAUSE = 5;

/** A file that could not be written to the disk. */
interface Kept {
  readonly text: string;
  /** The content of the file at that time: if another process has changed or removed it since, the file counts. */
  readonly file: string | undefined;
}

/** Reads and writes whole files. */
export class SessionFiles {
  readonly #log: Log;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();
  readonly #locked = new Set<string>();
  #toldAt = -Infinity;

  /** `now`: milliseconds since 1970. */
  constructor(log: Log, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  async read(path: string): Promise<string | undefined> {
    const file = await readIfThere(path);
    const kept = this.#kept.get(path);
    if (kept?.file === file) return kept?.text ?? file;
    this.#kept.delete(path);
    return file;
  }

  /** Also creates the directory. The caller holds the lock of the file's owner. */
  async write(path: string, text: string): Promise<void> {
    const isWritten = await this.attempt(async () => {
      await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await replacePrivateFile(path, text);
      return true;
    });
    this.#kept.delete(path);
    if (isWritten) return;
    this.#kept.set(path, { text, file: await readIfThere(path) });
    const [oldest] = this.#kept.size > MOST_KEPT ? this.#kept.keys() : [];
    if (oldest !== undefined) this.#kept.delete(oldest);
  }

  /** Throws if the file cannot be removed: the session would come back. */
  async remove(path: string): Promise<void> {
    const kept = this.#kept.get(path);
    this.#kept.delete(path);
    if (!kept || kept.file !== undefined) await removeIfThere(path);
  }

  /** Drops the files of a directory from memory. */
  forget(directory: string): void {
    for (const path of this.#kept.keys()) if (path.startsWith(directory + sep)) this.#kept.delete(path);
  }

  /**
   * Falls back to a lock in memory if the disk has no room for a lock file: it excludes the other requests of this
   * process.
   */
  async lock(path: string, longest?: number): Promise<Disposable> {
    return await this.attempt(() => lockFile(path, longest)) ?? await this.#lockHere(path);
  }

  /** Runs the work; undefined, and a line in the log, if a full or read-only disk prevented it. */
  async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Error) || !REFUSED.test(error.message)) throw error;
      const quiet = this.#now() - this.#toldAt;
      if (quiet >= 0 && quiet < QUIET) return undefined;
      this.#toldAt = this.#now();
      this.#log.warn(`New and changed sessions are in the memory of this worker only: ${error.message}`);
      return undefined;
    }
  }

  async #lockHere(path: string): Promise<Disposable> {
    while (this.#locked.has(path)) await new Promise((resolve) => setTimeout(resolve, PAUSE));
    this.#locked.add(path);
    return { [Symbol.dispose]: () => void this.#locked.delete(path) };
  }
}
