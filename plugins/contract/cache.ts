/**
 * Caches: each speaks to one product that keeps sessions, counts of failed logins and
 * one-time names for several nodes.
 *
 * @module
 */

import type { Log, Plugin } from "./plugin.ts";

/** A cache, as its folder exports it. `session.type = ext:NAME` names it. */
export type CachePlugin = Plugin<"cache", Cache, CacheHost>;

/** Services for a cache. */
export interface CacheHost {
  /** A log for operators. It must not contain secrets. The service itself logs outages. */
  readonly log: Log;
  /** The base of relative file names. */
  readonly directory: string;
}

/** A cache that was set up. */
export interface Cache {
  /**
   * Opens the cache at a location: `session.url`, as it is written. Does not connect: that is for the first
   * use. Throws a sentence if the location is no such place; it must not show the location, which may have a
   * password. The service opens a location several times, once for each purpose.
   */
  open(location: string): SharedCache | Promise<SharedCache>;
}

/**
 * Texts under keys, for all nodes. A key has up to 200 visible ASCII characters. All calls may overlap.
 * Every method rejects while the cache cannot be reached, and the next call tries again; none takes longer
 * than a second, because requests wait for it. The service answers 503 for a rejection, for other values
 * than these, and after five seconds (less with a smaller `server.plugin_timeout`). Errors must not
 * contain secrets: operators see them.
 */
export interface SharedCache extends AsyncDisposable {
  /** The value of a key; undefined without one, and when its lifetime is over. */
  get(key: string): Promise<Cached | undefined>;
  /**
   * Gives a key without value its value; of several at the same moment one succeeds. False if the key has a
   * value already. It may be the same one, if the connection broke and the request was repeated.
   */
  add(key: string, value: string, lifetime: Lifetime): Promise<boolean>;
  /**
   * Replaces a value; of several at the same moment one succeeds. False if it is
   * gone or has another version by now.
   */
  replace(
    key: string,
    value: string,
    options: Lifetime & { readonly version: CacheVersion },
  ): Promise<boolean>;
  /** Gives a value a new lifetime; false if the key has none. */
  touch(key: string, lifetime: Lifetime): Promise<boolean>;
  /** Removes a value. A key without one is no mistake. */
  remove(key: string): Promise<void>;
}

/** A value and its version. */
export interface Cached {
  /** The value as it was written: any text of Unicode. */
  readonly value: string;
  /** Identifies this state of the value. */
  readonly version: CacheVersion;
}

/** Identifies one state of a value. Each `add` and `replace` makes a new one. */
export type CacheVersion = string;

/**
 * Seconds that the cache keeps a value after its last write. More than zero;
 * may be a fraction, or many years.
 */
export interface Lifetime {
  /** A cache may keep it up to a second longer, never shorter. */
  readonly seconds: number;
}
