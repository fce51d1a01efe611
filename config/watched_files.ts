/**
 * Notices that files have changed, whoever changed them and on whatever file system: by looking, since events are not
 * told by network file systems.
 *
 * @module
 */

import { createHash } from "node:crypto";

/** Milliseconds for which a file's time does not tell whether it was changed once more: some file systems count seconds. */
const UNCERTAIN = 2500;

interface Seen {
  readonly facts: string;
  /** Hash of the content. */
  readonly content: string;
  /** The file had been changed just before it was seen, so its facts prove nothing. */
  readonly uncertain: boolean;
}

/** Some files, as they were when they were looked at last. */
export class WatchedFiles {
  readonly #seen = new Map<string, Seen>();

  private constructor(readonly paths: readonly string[]) {}

  static async open(paths: readonly string[]): Promise<WatchedFiles> {
    const files = new WatchedFiles(paths);
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

  /** Reads a file's content only when its time, size or place on disk cannot tell. */
  async #isChanged(path: string): Promise<boolean> {
    const before = this.#seen.get(path);
    const { facts, uncertain } = await factsOf(path);
    if (before?.facts === facts && !before.uncertain) return false;
    const content = await hashOf(path);
    this.#seen.set(path, { facts, content, uncertain });
    return before?.content !== content;
  }
}

const ABSENT = "absent";

async function factsOf(path: string): Promise<Pick<Seen, "facts" | "uncertain">> {
  try {
    const { mtime, size, ino } = await Deno.stat(path);
    const changed = mtime?.getTime() ?? 0;
    return { facts: `${changed} ${size} ${ino}`, uncertain: Math.abs(Date.now() - changed) < UNCERTAIN };
  } catch (error) {
    return { facts: failure(error), uncertain: false };
  }
}

async function hashOf(path: string): Promise<string> {
  try {
    return createHash("sha256").update(await Deno.readFile(path)).digest("hex");
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
