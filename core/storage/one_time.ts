/**
 * Names that may be used only once, such as the id of an identity provider's answer: remembered in files of the state
 * directory, which all workers share, or in the cache that all nodes share.
 *
 * @module
 */

import { hash } from "node:crypto";
import { join } from "node:path";
import { ifThere, inDirectory, removeIfThere } from "./shared_file.ts";
import type { SharedCache } from "./shared_cache.ts";

/** Remembers names. */
export interface OneTime extends Disposable {
  /** True the first time a name is used; it is remembered for the given seconds, one day at most. */
  use(name: string, seconds: number): Promise<boolean>;
}

/** The store of the names, and the clock. */
export interface OneTimeOptions {
  readonly directory: string;
  /** If present, it alone decides: a node that cannot reach it refuses. */
  readonly cache?: SharedCache | undefined;
  /** Milliseconds since 1970. */
  now(): number;
}

const DAY = 86_400;
/** Milliseconds between two searches for expired files. */
const SWEEP_EVERY = 600_000;

/** Makes the directory. */
export async function openOneTime(options: OneTimeOptions): Promise<OneTime> {
  await Deno.mkdir(options.directory, { recursive: true, mode: 0o700 });
  return new NameMemory(options);
}

class NameMemory implements OneTime {
  readonly #options: OneTimeOptions;
  #sweepAt: number;

  constructor(options: OneTimeOptions) {
    this.#options = options;
    this.#sweepAt = options.now();
  }

  async use(name: string, seconds: number): Promise<boolean> {
    const { cache } = this.#options;
    const key = hash("sha256", name);
    if (cache) return await cache.add(`rowhouse:once:${key}`, "1", { seconds: Math.min(seconds, DAY) });
    await this.#sweep();
    return await this.#create(key);
  }

  [Symbol.dispose](): void {
    this.#options.cache?.[Symbol.dispose]();
  }

  /** If several processes create the file at the same moment, the system lets one succeed. */
  async #create(key: string): Promise<boolean> {
    const { directory } = this.#options;
    const write = () => Deno.writeTextFile(join(directory, key), "", { createNew: true, mode: 0o600 });
    try {
      await inDirectory(directory, write);
      return true;
    } catch (error) {
      if (error instanceof Deno.errors.AlreadyExists) return false;
      throw error;
    }
  }

  async #sweep(): Promise<void> {
    const { directory, now } = this.#options;
    if (now() < this.#sweepAt) return;
    this.#sweepAt = now() + SWEEP_EVERY;
    for (const name of await ifThere(Array.fromAsync(Deno.readDir(directory), ({ name }) => name)) ?? []) {
      const path = join(directory, name);
      const made = (await ifThere(Deno.stat(path)))?.mtime?.getTime() ?? Infinity;
      if (made < now() - DAY * 1000) await removeIfThere(path);
    }
  }
}
