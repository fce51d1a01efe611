/**
 * What may be used once only, such as an answer of an identity provider: remembered in files of the state directory, which
 * all workers share, or in the cache that all nodes share.
 *
 * @module
 */

import { hash } from "node:crypto";
import { join } from "node:path";
import { ifThere, inDirectory, removeIfThere } from "./shared_file.ts";
import type { SharedCache } from "./shared_cache.ts";

/** Remembers names. */
export interface OneTime extends Disposable {
  /** True the first time a name is given; it is remembered for so many seconds, a day at most. */
  use(name: string, seconds: number): Promise<boolean>;
}

/** Where names are remembered, and the clock. */
export interface OneTimeOptions {
  readonly directory: string;
  /** Where there is one, it alone decides: a node that cannot ask it cannot tell. */
  readonly cache?: SharedCache | undefined;
  /** Milliseconds since 1970. */
  now(): number;
}

const DAY = 86_400;
/** Milliseconds between two looks for files that are no longer needed. */
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

  /** Of several that make a file at the same moment the system lets one. */
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
