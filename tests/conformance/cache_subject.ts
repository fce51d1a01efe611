/**
 * The cache that is tested, and the facts that its author gives.
 *
 * @module
 */

import type { CachePlugin, Section, SharedCache } from "@/plugins/contract.ts";
import { sectionOf } from "@/tests/support/section_of.ts";

/** The facts about one cache for its tests. */
export interface CacheTestOptions {
  /** The settings that are configured. Absent: the defaults of all. */
  readonly section?: Section;
  /** A location where the cache is. Called when a test runs. */
  location(): string;
  /** A location of the right form where nothing is. */
  readonly nowhere: string;
  /** Texts that are no location of this cache. At least one. */
  readonly wrong: readonly string[];
  /** Texts that no error may show, such as the password in one of the locations. */
  readonly secrets?: readonly string[];
  /** Ends the server and brings it back, empty or not. Absent: the tests of outages are ignored. */
  readonly server?: () => { stop(): Promise<void>; start(): Promise<void> };
  /** Why the cache cannot be tested here: all tests are ignored. */
  readonly missing?: string | undefined;
}

/** A cache that has been set up, with facts from its author. */
export interface CacheSubject extends CacheTestOptions {
  readonly name: string;
  readonly plugin: CachePlugin;
  /** Opens the location, as one purpose of one node does; the tests dispose of it. */
  open(location?: string): Promise<SharedCache>;
}

/** A test of the suite. */
export type CacheTest = (subject: CacheSubject) => Promise<void>;

/** A lifetime that ends after every test. */
export const LIFE = { seconds: 60 };

/** A key that no other test has. */
export function newKey(): string {
  return `test:${crypto.randomUUID()}`;
}

/** Sets a plugin up for the tests. */
export async function cacheSubject(
  name: string,
  plugin: CachePlugin,
  options: CacheTestOptions,
): Promise<CacheSubject> {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const cache = await plugin.setup(sectionOf(plugin, options.section), { log, directory: "/" });
  const open = async (location = options.location()) => await cache.open(location);
  return { ...options, name, plugin, open };
}
