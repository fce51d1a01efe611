/**
 * Detects changes of files by any writer on any file system by polling, because
 * network file systems send no events.
 *
 * @module
 */

import { contentHash, isOwnWriting, isSettled } from "./store.ts";

/** Milliseconds during which a file's time may hide another change: some file systems store whole seconds. */
const UNCERTAIN = 2500;

interface Seen {
  /**
   * Time, size and inode; empty for a file that was changed just before or
   * could not be read, because they may hide another change.
   */
  readonly facts: string;
  readonly content: string;
  /** Milliseconds since 1970 when the content was first seen; for the first check, the time of its change. */
  readonly since: number;
}

/** Several files with their state at the last check. */
export class WatchedFiles {
  readonly #seen = new Map<string, Seen>();

  private constructor(readonly paths: readonly string[], readonly now: () => number) {}

  /** `now` returns milliseconds since 1970. */
  static async open(paths: readonly string[], now: () => number = Date.now): Promise<WatchedFiles> {
    const files = new WatchedFiles(paths, now);
    await files.look();
    return files;
  }

  /** Checks the files and returns those that have changed. */
  async look(): Promise<readonly string[]> {
    const changed = await Promise.all(
      this.paths.map(async (path) => await this.#isChanged(path) ? [path] : []),
    );
    return changed.flat();
  }

  /** The files that may still be being written, as of the last check. */
  async unsettled(): Promise<readonly string[]> {
    const open = await Promise.all([...this.#seen].map(async ([path, { content, since }]) => {
      return isSettled(since, this.now()) || await isOwnWriting(path, content) ? [] : [path];
    }));
    return open.flat();
  }

  quietFor(path: string): number {
    return this.now() - (this.#seen.get(path)?.since ?? this.now());
  }

  /** Reads a file's content only if its time, size and inode cannot decide. */
  async #isChanged(path: string): Promise<boolean> {
    const before = this.#seen.get(path);
    const now = this.now();
    const { facts, changed } = await factsOf(path);
    if (before?.facts === facts) return false;
    const bytes = await orFailure(Deno.readFile(path));
    const content = typeof bytes === "string" ? bytes : contentHash(bytes);
    const isNew = before?.content !== content;
    const since = before === undefined ? Math.min(changed, now) : isNew ? now : before.since;
    // A file that cannot be read may become readable without a change of its facts.
    const isCertain = typeof bytes !== "string" && Math.abs(now - changed) >= UNCERTAIN;
    this.#seen.set(path, { facts: isCertain ? facts : "", content, since });
    return isNew;
  }
}

const ABSENT = "absent";

async function factsOf(path: string): Promise<{ readonly facts: string; readonly changed: number }> {
  const found = await orFailure(Deno.stat(path));
  if (typeof found === "string") return { facts: found, changed: 0 };
  const { mtime, size, ino } = found;
  const changed = mtime?.getTime() ?? 0;
  return { facts: `${changed} ${size} ${ino}`, changed };
}

/** A text in place of an absent or unreadable file; the loader complains about it. */
async function orFailure<T>(work: Promise<T>): Promise<T | string> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return ABSENT;
    if (error instanceof Error) return error.name;
    throw error;
  }
}
