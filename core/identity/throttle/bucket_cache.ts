/**
 * Buckets in the cache that all nodes share; while it is unreachable, each node counts for itself.
 *
 * @module
 */

import { hash } from "node:crypto";
import { ServiceError } from "@/core/errors.ts";
import type { SharedCache } from "@/plugins/contract.ts";
import { type Bucket, type BucketStore, nameOf, type NextFull } from "./buckets.ts";

/** The cache, and the store that replaces it during an outage. */
interface SharedBucketsOptions {
  readonly cache: SharedCache;
  /** Counts while the cache is unreachable. */
  readonly fallback: BucketStore;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Attempts of a compare-and-swap; so many concurrent writes mean an attack. */
const ATTEMPTS = 50;
/** Milliseconds without requests to the cache after a failure. */
const PAUSE = 5000;
/** Seconds that a full bucket stays, because the clocks of nodes differ. */
const SLACK = 5;

/**
 * A full bucket expires in the cache, so the number of entries is bounded by the number of recent attempts.
 */
export class SharedBuckets implements BucketStore {
  readonly #options: SharedBucketsOptions;
  /** Serialises the requests of this process, so that they do not conflict with each other. */
  #turn: Promise<unknown> = Promise.resolve();
  #failedAt = -Infinity;

  constructor(options: SharedBucketsOptions) {
    this.#options = options;
  }

  change(bucket: Bucket, next: NextFull): Promise<boolean> {
    const result = this.#turn.then(async () => {
      const { now, fallback } = this.#options;
      const passed = now() - this.#failedAt;
      // A clock that was set back must not put off the next attempt for hours.
      if (passed >= 0 && passed < PAUSE) return await fallback.change(bucket, next);
      try {
        return await this.#changeShared(bucket, next);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== "unavailable") throw error;
        this.#failedAt = now();
        return await fallback.change(bucket, next);
      }
    });
    this.#turn = result.catch(() => {});
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turn;
    await this.#options.cache[Symbol.asyncDispose]();
    await this.#options.fallback[Symbol.asyncDispose]();
  }

  async #changeShared(bucket: Bucket, next: NextFull): Promise<boolean> {
    const { cache } = this.#options;
    const key = `throttle:${hash("sha256", nameOf(bucket))}`;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const now = this.#options.now();
      const kept = await cache.get(key);
      const before = Number(kept?.value);
      const full = next(Number.isFinite(before) ? before : 0, now);
      if (full === undefined) return true;
      const lifetime = { seconds: (full - now) / 1000 + SLACK };
      const isDone = kept
        ? await cache.replace(key, String(full), { ...lifetime, version: kept.version })
        : await cache.add(key, String(full), lifetime);
      if (isDone) return true;
    }
    return false;
  }
}
