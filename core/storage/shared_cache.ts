/**
 * A cache that several processes share. Values have versions, so that concurrent changes are detected.
 *
 * @module
 */

/** A value and its version. */
export interface Cached {
  readonly value: string;
  readonly version: Version;
}

/** Identifies one state of a value. */
export type Version = string;

/** Seconds that the cache keeps a value after its last write. */
export interface Lifetime {
  readonly seconds: number;
}

/** All methods throw a {@link ServiceError} `unavailable` while the cache is unreachable; the next call tries again. */
export interface SharedCache extends AsyncDisposable {
  get(key: string): Promise<Cached | undefined>;
  /**
   * False if the key has a value already. It may be the same one, if the connection broke and the request was repeated.
   */
  add(key: string, value: string, lifetime: Lifetime): Promise<boolean>;
  /** False if the value has another version by now. */
  replace(key: string, value: string, options: Lifetime & { readonly version: Version }): Promise<boolean>;
  /** Gives a value a new lifetime; false if the key has none. */
  touch(key: string, lifetime: Lifetime): Promise<boolean>;
  remove(key: string): Promise<void>;
}
