/**
 * Detects changes of files by any writer on any file system by polling, because network file systems send no events.
 *
 * @module
 */

import { contentHash, isOwnWriting, isSettled } from "./settled.ts";

/** Milliseconds during which a file's time may hide another change: some file systems store whole seconds. */
const UNCERTAIN = 2500;

interface Seen {
  readonly facts: string;
  /** Hash of the content. */
  readonly content: string;
  /** The file was changed just before it was seen, so its facts may hide another change. */
  readonly uncertain: boolean;
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

  /** The files that did not exist at the last check. */
  get missing(): readonly string[] {
    return this.paths.filter((path) => this.#seen.get(path)?.content === ABSENT);
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

  /** Milliseconds since a file's last change. */
  quietFor(path: string): number {
    return this.now() - (this.#seen.get(path)?.since ?? this.now());
  }

  /** Reads a file's content only if its time, size and inode cannot decide. */
  async #isChanged(path: string): Promise<boolean> {
    const before = this.#seen.get(path);
    const now = this.now();
    const { facts, changed } = await factsOf(path);
    const uncertain = Math.abs(now - changed) < UNCERTAIN;
    if (before?.facts === facts && !before.uncertain) return false;
    const content = await hashOf(path);
    const isNew = before?.content !== content;
    const since = before === undefined ? Math.min(changed, now) : isNew ? now : before.since;
    this.#seen.set(path, { facts, content, uncertain, since });
    return isNew;
  }
}

const ABSENT = "absent";

async function factsOf(path: string): Promise<{ readonly facts: string; readonly changed: number }> {
  try {
    const { mtime, size, ino } = await Deno.stat(path);
    const changed = mtime?.getTime() ?? 0;
    return { facts: `${changed} ${size} ${ino}`, changed };
  } catch (error) {
    return { facts: failure(error), changed: 0 };
  }
}

async function hashOf(path: string): Promise<string> {
  try {
    return contentHash(await Deno.readFile(path));
  } catch (error) {
    return failure(error);
  }
}

/** The content of an absent or unreadable file; the loader complains about it. */
function failure(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return ABSENT;
  if (error instanceof Error) return error.name;
  throw error;
}
