/**
 * The requests to Redis. A value is stored behind its version and a blank.
 *
 * @module
 */

import type { Cached, CacheVersion, Lifetime, SharedCache } from "@/plugins/contract.ts";
import { RenewedConnection } from "@/plugins/kit/renewed_connection.ts";
import { RedisConnection } from "./connection.ts";
import type { Place } from "./place.ts";
import { Refusal, type Reply } from "./reply.ts";

/** Milliseconds that an answer may take. */
const TIMEOUT = 1000;
const VERSION_LENGTH = crypto.randomUUID().length;

/** Runs alone in the server, so nothing changes the value in between. */
const REPLACE = `local kept = redis.call('GET', KEYS[1])
if not kept or string.sub(kept, 1, ${VERSION_LENGTH}) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

/** One server. */
export class Redis implements SharedCache {
  readonly #connection: RenewedConnection<RedisConnection>;

  /** `timeout`: milliseconds that an answer may take. */
  constructor(place: Place, timeout = TIMEOUT) {
    this.#connection = new RenewedConnection({
      timeout,
      connect: () => new RedisConnection(place),
      end: (connection, reason) => connection.end(reason),
    });
  }

  async get(key: string): Promise<Cached | undefined> {
    const stored = await this.#ask("GET", key);
    if (stored === null) return undefined;
    if (typeof stored !== "string" || stored[VERSION_LENGTH] !== " ") {
      throw new Error("It has a value that is not of this service");
    }
    return { value: stored.slice(VERSION_LENGTH + 1), version: stored.slice(0, VERSION_LENGTH) };
  }

  async add(key: string, value: string, lifetime: Lifetime): Promise<boolean> {
    return await this.#ask("SET", key, versioned(value), "NX", "PX", milliseconds(lifetime)) === "OK";
  }

  async replace(
    key: string,
    value: string,
    { version, ...lifetime }: Lifetime & { readonly version: CacheVersion },
  ): Promise<boolean> {
    return await this.#ask("EVAL", REPLACE, "1", key, version, versioned(value), milliseconds(lifetime)) ===
      1;
  }

  async touch(key: string, lifetime: Lifetime): Promise<boolean> {
    return await this.#ask("PEXPIRE", key, milliseconds(lifetime)) === 1;
  }

  async remove(key: string): Promise<void> {
    await this.#ask("DEL", key);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#connection[Symbol.dispose]();
    return Promise.resolve();
  }

  async #ask(...words: readonly string[]): Promise<Exclude<Reply, Refusal>> {
    const reply = await this.#connection.use((connection) => connection.ask(words));
    if (!(reply instanceof Refusal)) return reply;
    const failure = new Error(`It refuses ${words[0]}: ${reply.reason}`);
    // After a failover the name may lead to the server that takes writes.
    if (reply.code === "READONLY") this.#connection.giveUp(failure);
    throw failure;
  }
}

function versioned(value: string): string {
  return `${crypto.randomUUID()} ${value}`;
}

function milliseconds({ seconds }: Lifetime): string {
  return String(Math.max(1, Math.ceil(seconds * 1000)));
}
