/**
 * Notices that files have changed, whoever changed them and on whatever file system: by looking, since events are not
 * told by network file systems.
 *
 * @module
 */

import { contentHash, isOwnWriting, isSettled } from "./settled.ts";

/** Milliseconds for which a file's time does not tell whether it was changed once more: some file systems count seconds. */
const UNCERTAIN = 2500;

interface Seen {
  readonly facts: string;
  /** Hash of the content. */
  readonly content: string;
  /** The file had been changed just before it was seen, so its facts prove nothing. */
  readonly uncertain: boolean;
  /** Milliseconds since 1970 when the content was first seen; at the first look, when it was changed. */
  readonly since: number;
}

/** Some files, as they were when they were looked at last. */
export class WatchedFiles {
  readonly #seen = new Map<string, Seen>();

  private constructor(readonly paths: readonly string[], readonly now: () => number) {}

  /** `now` gives milliseconds since 1970. */
  static async open(paths: readonly string[], now: () => number = Date.now): Promise<WatchedFiles> {
    const files = new WatchedFiles(paths, now);
    await files.look();
    return files;
  }

  /** The files that were not there at the last look. */
  get missing(): readonly string[] {
    return this.paths.filter((path) => this.#seen.get(path)?.content === ABSENT);
  }

  /** The files that are not what they were at the last look. */
  async look(): Promise<readonly string[]> {
    const changed = await Promise.all(
      this.paths.map(async (path) => await this.#isChanged(path) ? [path] : []),
    );
    return changed.flat();
  }

  /** The files that somebody may still be writing, as of the last look. */
  async unsettled(): Promise<readonly string[]> {
    const open = await Promise.all([...this.#seen].map(async ([path, { content, since }]) => {
      return isSettled(since, this.now()) || await isOwnWriting(path, content) ? [] : [path];
    }));
    return open.flat();
  }

  /** Milliseconds for which a file has not changed. */
  quietFor(path: string): number {
    return this.now() - (this.#seen.get(path)?.since ?? this.now());
  }

  /** Reads a file's content only when its time, size or place on disk cannot tell. */
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

/** A file that is not there, or cannot be read, has this for content; whoever loads it complains. */
function failure(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return ABSENT;
  if (error instanceof Error) return error.name;
  throw error;
}
