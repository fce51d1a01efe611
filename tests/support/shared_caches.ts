/**
 * The servers of shared caches that tests start, and the caches as the service opens them.
 *
 * @module
 */

import { GuardedCache } from "@/core/storage/guarded_cache.ts";
import { Memcached } from "@/plugins/caches/memcached/memcached.ts";
import { placeAt } from "@/plugins/caches/redis/place.ts";
import { Redis } from "@/plugins/caches/redis/redis.ts";
import type { Log, SharedCache } from "@/plugins/contract.ts";
import { HAS_MEMCACHED, startMemcached, type TestCache } from "./memcached.ts";
import { NO_REDIS, startRedis } from "./redis.ts";

/** The built-in caches. */
export type CacheName = "memcached" | "redis";

/** A kind of server. */
interface CacheServer {
  readonly name: CacheName;
  /** Why it cannot be started here. */
  readonly missing: string | undefined;
  start(): Promise<TestCache>;
}

/** All kinds of servers. */
export const CACHE_SERVERS: readonly CacheServer[] = [
  {
    name: "memcached",
    missing: HAS_MEMCACHED ? undefined : "memcached is not installed",
    start: () => startMemcached(),
  },
  { name: "redis", missing: NO_REDIS, start: () => startRedis() },
];

/** Milliseconds that servers on a loaded machine may take. */
const PATIENCE = 10_000;

/** What a test gives a cache. */
interface OpenCache {
  readonly location: string;
  readonly log: Log;
  readonly purpose: string;
  /** Milliseconds that an answer may take. */
  readonly timeout?: number;
}

/** Opens a cache with the service's guard around it. */
export function openCache(
  name: CacheName,
  { location, timeout = PATIENCE, ...rest }: OpenCache,
): SharedCache {
  const cache = name === "redis" ? new Redis(placeAt(location), timeout) : new Memcached(location, timeout);
  return new GuardedCache(cache, { name, location, timeout: 60, ...rest });
}
