/**
 * Sessions in files that the workers of a node share: a directory per user, a file per session. The first
 * line of a file is the time until which it is valid. While the disk is full or read-only, this process keeps
 * the files in memory, so that logins still work.
 *
 * @module
 */

import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { runningLog } from "@/core/base/named_log.ts";
import { tryLater } from "@/core/errors.ts";
import {
  ifThere,
  inDirectory,
  lockFile,
  namesIn,
  readIfThere,
  removeIfThere,
} from "@/core/storage/shared_file.ts";
import type { Cached, CacheVersion, Lifetime, Log, SharedCache } from "@/plugins/contract.ts";
import { endsIn, parseFile, pathsIn } from "./file_ends.ts";

/** The directories, and the limit per user. */
export interface SessionFilesOptions {
  /** Both directories are created if necessary. */
  readonly dataDirectory: string;
  readonly lockDirectory: string;
  /** Milliseconds since 1970. */
  now(): number;
  readonly log: Log;
  /** Milliseconds to wait for a lock on a user's sessions. Default: 5,000. */
  readonly longestWait?: number;
  /** Approximate limit of sessions per user; those that expire first are removed. */
  readonly mostPerUser?: number;
}

/** Any request with an API key can open a session, so the number per user is limited. */
const MOST_PER_USER = 1000;
const LONGEST_WAIT = 5000;
/**
 * No permission, too large, no space, read-only, and two numbers of quotas: not
 * all of these errors have a code.
 */
const REFUSED = /\(os error (?:13|27|28|30|69|122)\)/;
/** Number of files in memory; above it the oldest one is dropped. */
const MOST_KEPT = 10_000;
/** Milliseconds between two lines of the log. */
const QUIET = 60_000;
const PAUSE = 5;
/** Milliseconds between two searches for expired files. */
const SWEEP_EVERY = 600_000;
/** Expired files that are removed under one lock. */
const AT_ONCE = 100;
/** The operator chose the directory, so it may contain other files. */
const GROUP = /^([0-9a-f]{32}|subjects)$/;
/** A key of a session; the other keys are the words of users and the lists of subjects. */
const SESSION = /^[0-9a-f]{32}:[0-9a-f]{64}$/;

/** A file that could not be written to the disk. */
interface Kept {
  readonly text: string;
  /**
   * The content of the file at that time: if another process has changed or
   * removed it since, the file counts.
   */
  readonly file: string | undefined;
}

/** Creates the directories with access for their owner only. */
export async function openSessionFiles(options: SessionFilesOptions): Promise<SessionFiles> {
  for (const directory of [options.dataDirectory, options.lockDirectory]) {
    await Deno.mkdir(directory, { recursive: true, mode: 0o700 });
  }
  return new SessionFiles(options);
}

/**
 * A key is the name of a directory, a colon, and the name of a file. Expired
 * files are removed beside requests.
 */
class SessionFiles implements SharedCache {
  readonly #options: SessionFilesOptions;
  readonly #kept = new Map<string, Kept>();
  /** Locks in memory, while the disk has no room for lock files. */
  readonly #locks = new Set<string>();
  /** Number of sessions that this process has opened, by the user's directory. */
  readonly #opened = new Map<string, number>();
  #toldAt = -Infinity;
  #sweepAt = -Infinity;
  #sweeping: Promise<void> | undefined;
  #stopped = false;

  /** The directories exist. */
  constructor(options: SessionFilesOptions) {
    this.#options = options;
    this.#sweepIfDue();
  }

  async get(key: string): Promise<Cached | undefined> {
    return await this.#ifAvailable(() => this.#valueOf(this.#pathOf(key)));
  }

  async add(key: string, value: string, lifetime: Lifetime): Promise<boolean> {
    this.#sweepIfDue();
    return await this.#change(key, async (path, kept) => {
      if (kept) return false;
      if (SESSION.test(key)) await this.#attempt(() => this.#makeRoom(dirname(path)));
      await this.#write(path, value, lifetime);
      return true;
    });
  }

  async replace(
    key: string,
    value: string,
    options: Lifetime & { readonly version: CacheVersion },
  ): Promise<boolean> {
    return await this.#change(key, async (path, kept) => {
      if (kept?.version !== options.version) return false;
      await this.#write(path, value, options);
      return true;
    });
  }

  async touch(key: string, lifetime: Lifetime): Promise<boolean> {
    return await this.#change(key, async (path, kept) => {
      if (kept) await this.#write(path, kept.value, lifetime);
      return kept !== undefined;
    });
  }

  /** Throws if the file cannot be removed: the session would come back. */
  async remove(key: string): Promise<void> {
    await this.#change(key, async (path) => {
      const kept = this.#kept.get(path);
      this.#kept.delete(path);
      if (!kept || kept.file !== undefined) await removeIfThere(path);
    });
  }

  /** Waits for a running search for expired files. */
  async swept(): Promise<void> {
    await this.#sweeping;
  }

  /** A running search stops after its present directory. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    await this.swept();
  }

  #pathOf(key: string): string {
    return join(this.#options.dataDirectory, ...key.split(":"));
  }

  /** Throws 503 for an error of the file system, which may be temporary. */
  async #ifAvailable<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      runningLog(this.#options.log).error("A session cannot be kept or changed", cause);
      throw tryLater("Sessions are not available at the moment: try again later", 5, cause);
    }
  }

  /** Excludes other processes from the directory of the key. */
  async #change<T>(key: string, work: (path: string, kept: Cached | undefined) => Promise<T>): Promise<T> {
    const path = this.#pathOf(key);
    return await this.#ifAvailable(async () => {
      using _lock = await this.#lock(basename(dirname(path)));
      return await work(path, await this.#valueOf(path));
    });
  }

  /** A fixed number of locks, so that they need not be removed. Users whose hash begins alike share one. */
  async #lock(group: string): Promise<Disposable> {
    const { lockDirectory, longestWait = LONGEST_WAIT } = this.#options;
    const path = join(lockDirectory, `${group.slice(0, 2)}.lock`);
    const lock = () => inDirectory(lockDirectory, () => lockFile(path, longestWait));
    return await this.#attempt(lock) ?? await this.#lockHere(path);
  }

  /** Excludes the other requests of this process. */
  async #lockHere(path: string): Promise<Disposable> {
    while (this.#locks.has(path)) await setTimeout(PAUSE);
    this.#locks.add(path);
    return { [Symbol.dispose]: () => void this.#locks.delete(path) };
  }

  async #valueOf(path: string): Promise<Cached | undefined> {
    const { value, end } = parseFile(await this.#read(path));
    return end > this.#options.now() ? { value, version: value } : undefined;
  }

  async #read(path: string): Promise<string | undefined> {
    const file = await readIfThere(path);
    const kept = this.#kept.get(path);
    if (kept?.file === file) return kept?.text ?? file;
    this.#kept.delete(path);
    return file;
  }

  /** Replaces the file as a whole: readers see the old content or the new, never a part. */
  async #write(path: string, value: string, { seconds }: Lifetime): Promise<void> {
    const text = `${Math.ceil(this.#options.now() + 1000 * seconds)}\n${value}`;
    const temporary = join(dirname(path), `.${basename(path)}.tmp`);
    const isWritten = await this.#attempt(async () => {
      await inDirectory(dirname(path), () => Deno.writeTextFile(temporary, text, { mode: 0o600 }));
      await Deno.rename(temporary, path);
      return true;
    });
    const file = isWritten ? undefined : await readIfThere(path);
    // Requests that read do not wait for the lock: between these lines is no
    // pause in which the value is missing.
    this.#kept.delete(path);
    if (isWritten) return;
    this.#kept.set(path, { text, file });
    const [oldest] = this.#kept.size > MOST_KEPT ? this.#kept.keys() : [];
    if (oldest !== undefined) this.#kept.delete(oldest);
  }

  /** Runs the work; undefined, and a line in the log, if a full or read-only disk prevented it. */
  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Error) || !REFUSED.test(error.message)) throw error;
      const { now, log } = this.#options;
      const quiet = now() - this.#toldAt;
      if (quiet >= 0 && quiet < QUIET) return undefined;
      this.#toldAt = now();
      log.warn(`New and changed sessions are in the memory of this worker only: ${error.message}`);
      return undefined;
    }
  }

  /** Counting files takes time, so it is done occasionally: the limit is not exact. */
  async #makeRoom(directory: string): Promise<void> {
    const { mostPerUser = MOST_PER_USER } = this.#options;
    const opened = this.#opened.get(directory) ?? 0;
    this.#opened.set(directory, opened + 1);
    if (opened % Math.ceil(mostPerUser / 20) !== 0) return;
    const sessions = (await endsIn(await pathsIn(directory))).filter(({ path }) => basename(path) !== "word");
    const surplus = Math.max(0, sessions.length - mostPerUser + 1);
    const first = sessions.toSorted((one, other) => one.end - other.end).slice(0, surplus);
    await Promise.all(first.map(({ path }) => removeIfThere(path)));
  }

  /** At the start, and when sessions are opened: without new sessions nothing grows. */
  #sweepIfDue(): void {
    const { now, log } = this.#options;
    if (this.#sweeping || now() < this.#sweepAt) return;
    this.#sweepAt = now() + SWEEP_EVERY;
    this.#sweeping = this.#sweep()
      .catch((error) => log.error("Cannot remove sessions that have ended", error))
      .finally(() => this.#sweeping = undefined);
  }

  async #sweep(): Promise<void> {
    const { dataDirectory } = this.#options;
    for (const group of await namesIn(dataDirectory)) {
      if (!GROUP.test(group)) continue;
      const directory = join(dataDirectory, group);
      // Without the lock: a group may have many files, and logins wait for the lock.
      const files = await endsIn(await pathsIn(directory));
      const over = files.filter(({ end }) => this.#isOver(end)).map(({ path }) => path);
      for (let first = 0; first < over.length; first += AT_ONCE) {
        if (this.#stopped) return;
        using _lock = await this.#lock(group);
        await this.#removeOver(over.slice(first, first + AT_ONCE));
      }
      if (this.#stopped) return;
      if (over.length < files.length) continue;
      using _lock = await this.#lock(group);
      if ((await namesIn(directory)).length === 0) await ifThere(Deno.remove(directory));
    }
  }

  /** The group is locked: files that were written in the meantime stay. */
  async #removeOver(paths: readonly string[]): Promise<void> {
    const over = (await endsIn(paths)).filter(({ end }) => this.#isOver(end));
    await Promise.all(over.map(({ path }) => removeIfThere(path)));
  }

  #isOver(end: number): boolean {
    return end <= this.#options.now();
  }
}
