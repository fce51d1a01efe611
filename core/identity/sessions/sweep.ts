/**
 * Removes expired session files.
 *
 * @module
 */

import { join } from "node:path";
import { ifThere, readIfThere, removeIfThere } from "@/core/storage/shared_file.ts";
import { keyOf, namesIn as sessionsIn, parseRecord } from "./ticket.ts";

/** The swept directory and its services. */
export interface SweeperOptions {
  /** Contains a directory for each owner. */
  readonly directory: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** Called with the error of a sweep; the next one starts regardless. */
  onFailure(error: unknown): void;
  /** Excludes writers from the directory of an owner. */
  lock(owner: string): Promise<Disposable>;
}

/** The directory with the lists of sessions by subject, beside the directories of owners. */
export const SUBJECTS = ".subjects";

/** Milliseconds between two sweeps. */
const PERIOD = 600_000;

/** Sweeps beside requests, at the start and later when sessions are opened: without new sessions nothing grows. */
export class FileSweeper implements AsyncDisposable {
  readonly #options: SweeperOptions;
  #next = -Infinity;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  /** Starts a sweep unless the last one is recent. */
  sweepIfDue(): void {
    const { now, onFailure } = this.#options;
    if (this.#running || now() < this.#next) return;
    this.#next = now() + PERIOD;
    this.#running = this.#sweep().catch(onFailure).finally(() => this.#running = undefined);
  }

  /** Removes the sessions of an owner that expire first, down to `most`. The caller holds the owner's lock. */
  async makeRoom(owner: string, most: number): Promise<void> {
    const directory = join(this.#options.directory, owner);
    const names = await namesIn(directory);
    if (names.length < most) return;
    const ends = await Promise.all(
      names.map(async (name) => ({ name, end: await endOf(join(directory, name)) })),
    );
    const first = ends.toSorted((one, other) => one.end - other.end).slice(0, names.length - most + 1);
    await Promise.all(first.map(({ name }) => removeIfThere(join(directory, name))));
  }

  /** Waits for a running sweep. */
  async swept(): Promise<void> {
    await this.#running;
  }

  /** A running sweep stops after its present user. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    await this.swept();
  }

  async #sweep(): Promise<void> {
    for (const name of await namesIn(this.#options.directory)) {
      if (this.#stopped) return;
      if (isOurs(name)) await this.#sweepOwner(name);
    }
    for (const subject of await namesIn(join(this.#options.directory, SUBJECTS))) {
      if (this.#stopped) return;
      await this.#sweepSubject(subject);
    }
  }

  /** A list is removed with its last session. */
  async #sweepSubject(subject: string): Promise<void> {
    using _lock = await this.#options.lock(subject);
    const { directory } = this.#options;
    const path = join(directory, SUBJECTS, subject);
    for (const name of sessionsIn(await readIfThere(path))) {
      if (await ifThere(Deno.stat(join(directory, name.owner, keyOf(name))))) return;
    }
    await removeIfThere(path);
  }

  async #sweepOwner(owner: string): Promise<void> {
    const directory = join(this.#options.directory, owner);
    // Remains of an interrupted removal.
    if (owner.startsWith(".removed-")) return void await ifThere(Deno.remove(directory, { recursive: true }));
    using _lock = await this.#options.lock(owner);
    const names = await namesIn(directory);
    const over = await Promise.all(names.map(async (name) => await this.#isOver(join(directory, name))));
    await Promise.all(
      names.map((name, index) => over[index] ? removeIfThere(join(directory, name)) : undefined),
    );
    if (!over.includes(false)) await ifThere(Deno.remove(directory));
  }

  /** A temporary file is left from an interrupted write: no process writes while the owner is locked. */
  async #isOver(path: string): Promise<boolean> {
    return await endOf(path) <= this.#options.now();
  }
}

/** The operator chose the directory, so it may contain other files. */
function isOurs(name: string): boolean {
  return /^[0-9a-f]{32}$/.test(name) || name.startsWith(".removed-");
}

/** When a session ends; a file without a valid session counts as expired. */
async function endOf(path: string): Promise<number> {
  const text = path.endsWith(".tmp") ? undefined : await readIfThere(path);
  return text === undefined ? -Infinity : parseRecord(text)?.session.expiresAt ?? -Infinity;
}

async function namesIn(directory: string): Promise<readonly string[]> {
  return await ifThere(Array.fromAsync(Deno.readDir(directory), ({ name }) => name)) ?? [];
}
