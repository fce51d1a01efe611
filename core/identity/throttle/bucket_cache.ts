/**
 * Buckets in the cache that all nodes share; while it is unreachable, each node counts for itself.
 *
 * @module
 */

import { hash } from "node:crypto";
import { type Limits, putBack, takeFrom } from "./token_bucket.ts";
import { ServiceError } from "@/core/errors.ts";
import type { SharedCache } from "@/core/storage/shared_cache.ts";
import type { Bucket, BucketStore } from "./throttle.ts";

/** The cache, and the store that replaces it during an outage. */
export interface SharedBucketsOptions {
  readonly cache: SharedCache;
  /** Counts while the cache is unreachable. */
  readonly fallback: BucketStore;
  /** Milliseconds since 1970. */
  now(): number;
}

/** A full bucket expires in the cache, so the number of entries is bounded by the number of recent attempts. */
export function createSharedBuckets(options: SharedBucketsOptions): BucketStore {
  return new SharedBuckets(options);
}

/** Attempts of a compare-and-swap; so many concurrent writes mean an attack. */
const ATTEMPTS = 50;
/** Milliseconds without requests to the cache after a failure. */
const PAUSE = 5000;
/** Seconds that a full bucket stays, because the clocks of nodes differ. */
const SLACK = 5;

class SharedBuckets implements BucketStore {
  readonly #options: SharedBucketsOptions;
  /** Serialises the requests of this process, so that they do not conflict with each other. */
  #turn: Promise<unknown> = Promise.resolve();
  #skipUntil = -Infinity;

  constructor(options: SharedBucketsOptions) {
    this.#options = options;
  }

  async take(buckets: readonly Bucket[], limits: Limits): Promise<number> {
    return await this.#shared(
      () => this.#takeAll(buckets, limits),
      () => this.#options.fallback.take(buckets, limits),
    );
  }

  async putBack(buckets: readonly Bucket[], limits: Limits): Promise<void> {
    await this.#shared(
      () => this.#putAllBack(buckets, limits),
      () => this.#options.fallback.putBack(buckets, limits),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turn;
    this.#options.cache[Symbol.dispose]();
    await this.#options.fallback[Symbol.asyncDispose]();
  }

  #shared<T>(work: () => Promise<T>, instead: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(async () => {
      const { now } = this.#options;
      if (now() < this.#skipUntil) return await instead();
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== "unavailable") throw error;
        this.#skipUntil = now() + PAUSE;
        return await instead();
      }
    });
    this.#turn = result.catch(() => {});
    return result;
  }

  async #takeAll(buckets: readonly Bucket[], limits: Limits): Promise<number> {
    const taken: Bucket[] = [];
    for (const bucket of buckets) {
      const wait = await this.#takeOne(bucket, limits);
      if (wait > 0) {
        await this.#putAllBack(taken, limits);
        return wait;
      }
      taken.push(bucket);
    }
    return 0;
  }

  async #takeOne(bucket: Bucket, limits: Limits): Promise<number> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const now = this.#options.now();
      const kept = await this.#read(bucket);
      const { full, wait } = takeFrom(kept.full, now, limits);
      if (wait > 0 || await this.#write(bucket, full, { ...kept, now })) return wait;
    }
    return limits.interval;
  }

  async #putAllBack(buckets: readonly Bucket[], limits: Limits): Promise<void> {
    for (const bucket of buckets) await this.#putOneBack(bucket, limits);
  }

  async #putOneBack(bucket: Bucket, limits: Limits): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const now = this.#options.now();
      const kept = await this.#read(bucket);
      // An absent bucket is full.
      if (kept.version === undefined) return;
      if (await this.#write(bucket, putBack(kept.full, now, limits), { ...kept, now })) return;
    }
  }

  async #read(bucket: Bucket): Promise<Kept> {
    const found = await this.#options.cache.get(keyOf(bucket));
    const full = Number(found?.value);
    return { full: Number.isFinite(full) ? full : 0, version: found?.version };
  }

  async #write(
    bucket: Bucket,
    full: number,
    { version, now }: Kept & { readonly now: number },
  ): Promise<boolean> {
    const { cache } = this.#options;
    const lifetime = { seconds: (full - now) / 1000 + SLACK };
    const key = keyOf(bucket);
    if (version === undefined) return await cache.add(key, String(full), lifetime);
    return await cache.replace(key, String(full), { ...lifetime, version });
  }
}

interface Kept {
  readonly full: number;
  readonly version: Uint8Array | undefined;
}

function keyOf(bucket: Bucket): string {
  const { kind, ...rest } = bucket;
  return `rowhouse:throttle:${hash("sha256", JSON.stringify([kind, ...Object.values(rest)]))}`;
}
