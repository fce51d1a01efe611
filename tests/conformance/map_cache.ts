/**
 * A cache in the memory of the tests, whose servers can be away.
 *
 * @module
 */

import type { Cached, SharedCache } from "@/plugins/contract.ts";

/** A value in a map. */
export interface Kept extends Cached {
  readonly until: number;
}

/** The servers of these tests: a map for each location. */
export const SERVERS: Map<string, Map<string, Kept>> = new Map<string, Map<string, Kept>>();
/** A server is down while its location is in here. */
export const DOWN: Set<string> = new Set<string>();

/** The pieces of a right cache; each mistake replaces one. */
export class MapCache implements SharedCache {
  constructor(readonly location: string) {}

  get values(): Map<string, Kept> {
    const values = SERVERS.get(this.location);
    if (!values || DOWN.has(this.location)) throw new Error("the server is away");
    return values;
  }

  nameOf(key: string): string {
    return key;
  }

  versionOf(_value: string): string {
    return crypto.randomUUID();
  }

  untilOf(seconds: number): number {
    return Date.now() + seconds * 1000;
  }

  kept(key: string): Kept | undefined {
    const kept = this.values.get(this.nameOf(key));
    return kept && kept.until > Date.now() ? kept : undefined;
  }

  keep(key: string, value: string, seconds: number): true {
    const kept = { value, version: this.versionOf(value), until: this.untilOf(seconds) };
    this.values.set(this.nameOf(key), kept);
    return true;
  }

  // deno-lint-ignore require-await -- it rejects instead of throwing
  async get(key: string): Promise<Cached | undefined> {
    return this.kept(key);
  }

  // deno-lint-ignore require-await
  async add(key: string, value: string, { seconds }: { seconds: number }): Promise<boolean> {
    return this.kept(key) ? false : this.keep(key, value, seconds);
  }

  // deno-lint-ignore require-await
  async replace(
    key: string,
    value: string,
    { seconds, version }: { seconds: number; version: string },
  ): Promise<boolean> {
    return this.kept(key)?.version === version ? this.keep(key, value, seconds) : false;
  }

  // deno-lint-ignore require-await
  async touch(key: string, { seconds }: { seconds: number }): Promise<boolean> {
    const kept = this.kept(key);
    if (kept) this.values.set(this.nameOf(key), { ...kept, until: this.untilOf(seconds) });
    return kept !== undefined;
  }

  // deno-lint-ignore require-await
  async remove(key: string): Promise<void> {
    this.values.delete(this.nameOf(key));
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
