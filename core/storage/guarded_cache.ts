/**
 * Guards the service against failures of a shared cache: each is a 503 for the request, an outage is logged
 * once, and no call waits for ever.
 *
 * @module
 */

import { inTime } from "@/core/base/in_time.ts";
import { METERS } from "@/core/base/meters.ts";
import { kindOf } from "@/core/base/plugin_answers.ts";
import { messageIn, quote, tryLater } from "@/core/errors.ts";
import type { Cached, CacheVersion, Lifetime, Log, SharedCache } from "@/plugins/contract.ts";

/** A cache that was opened, and the words for the log. */
interface GuardOptions {
  /** The name of the plugin. */
  readonly name: string;
  readonly location: string;
  /** Its use, as the log names it: `sessions`. */
  readonly purpose: string;
  readonly log: Log;
  /** `server.plugin_timeout`, in seconds. */
  readonly timeout: number;
  /** Milliseconds between two looks at the cache. Default: 5,000. */
  readonly pause?: number;
}

/** Seconds that a call may take at most: requests with a session wait for several. */
const LONGEST = 5;
/** Milliseconds between two looks without a caller. */
const LOOK = 5000;
/** Other keys of the server may belong to other programs. */
const PREFIX = "rowhouse:";

/** Throws a {@link ServiceError} `unavailable` for every failure. */
export class GuardedCache implements SharedCache {
  readonly #cache: SharedCache;
  readonly #options: GuardOptions;
  #isDown = false;
  readonly #looks: ReturnType<typeof setInterval>;

  constructor(cache: SharedCache, options: GuardOptions) {
    this.#cache = cache;
    this.#options = options;
    this.#note(undefined);
    // The timer reads the cache, so that probes and alerts show an outage while no caller uses it. The read
    // records its own failure.
    this.#looks = setInterval(() => void this.get("look").catch(() => {}), options.pause ?? LOOK);
    Deno.unrefTimer(this.#looks);
  }

  async get(key: string): Promise<Cached | undefined> {
    return await this.#ask("get", () => this.#cache.get(PREFIX + key), isCached);
  }

  async add(key: string, value: string, lifetime: Lifetime): Promise<boolean> {
    return await this.#ask("add", () => this.#cache.add(PREFIX + key, value, lifetime), isBoolean);
  }

  async replace(
    key: string,
    value: string,
    options: Lifetime & { readonly version: CacheVersion },
  ): Promise<boolean> {
    return await this.#ask("replace", () => this.#cache.replace(PREFIX + key, value, options), isBoolean);
  }

  async touch(key: string, lifetime: Lifetime): Promise<boolean> {
    return await this.#ask("touch", () => this.#cache.touch(PREFIX + key, lifetime), isBoolean);
  }

  async remove(key: string): Promise<void> {
    await this.#ask("remove", () => this.#cache.remove(PREFIX + key), isIgnored);
  }

  /** The stop of the service goes on, whatever the plugin does. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { name, log } = this.#options;
    clearInterval(this.#looks);
    try {
      await this.#inTime("dispose", async () => await this.#cache[Symbol.asyncDispose]());
    } catch (error) {
      log.error(`The cache ${quote(name)} cannot be closed`, error);
    }
  }

  /** The log has one line when the cache fails, and one when it answers again. */
  async #ask<T>(member: string, work: () => Promise<T>, isRight: (given: unknown) => given is T): Promise<T> {
    const { name, location, purpose, log } = this.#options;
    const title = `The shared cache at ${withoutSecrets(location)} (cache ${quote(name)})`;
    try {
      const answer = await this.#inTime(member, work);
      if (!isRight(answer)) throw new TypeError(`${member}() gave ${kindOf(answer)}, unlike its contract`);
      if (this.#isDown) log.info(`${title} can be used for ${purpose} again`);
      this.#isDown = false;
      this.#note(undefined);
      return answer;
    } catch (cause) {
      const reason = messageIn(cause);
      const failure = `${title} cannot be used for ${purpose}`;
      // A mistake of a plugin is found by its stack; an outage needs only its reason.
      if (!this.#isDown && cause instanceof TypeError) log.error(failure, cause);
      else if (!this.#isDown) log.error(`${failure}: ${reason}`);
      this.#isDown = true;
      this.#note(reason);
      throw tryLater("The shared cache is not available at the moment: try again later", 5, cause);
    }
  }

  async #inTime<T>(member: string, work: () => Promise<T>): Promise<T> {
    // Half of the time, so that a login that waits for it can still be counted in a file and answered.
    const seconds = Math.min(this.#options.timeout / 2, LONGEST);
    return await inTime(
      work(),
      seconds,
      () => new Error(`${member}() has not ended after ${seconds} seconds`),
    );
  }

  #note(reason: string | undefined): void {
    METERS.trouble(`shared cache for ${this.#options.purpose}`, reason);
  }
}

/** A location as the log may show it: without user, password and query. */
function withoutSecrets(location: string): string {
  return location.replace(/^([\w+.-]+:\/\/)?.*@/s, "$1").replace(/\?.*$/s, "");
}

/** `remove` promises nothing that could be wrong. */
function isIgnored(_given: unknown): _given is void {
  return true;
}

function isBoolean(given: unknown): given is boolean {
  return typeof given === "boolean";
}

function isCached(given: unknown): given is Cached | undefined {
  if (given === undefined) return true;
  if (typeof given !== "object" || given === null) return false;
  return typeof Reflect.get(given, "value") === "string" && typeof Reflect.get(given, "version") === "string";
}
