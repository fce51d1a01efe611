/**
 * The cache that all nodes share: memcached, in its binary protocol. Values have versions, so that concurrent changes
 * by two nodes are detected.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { Log } from "@/plugins/contract.ts";
import { ServiceError } from "@/core/errors.ts";
import { MemcachedConnection, type MemcachedRequest, type MemcachedResponse } from "./memcached.ts";

/** A value and its version. */
export interface Cached {
  readonly value: string;
  readonly version: Version;
}

/** Identifies one state of a value. */
export type Version = Uint8Array;

/** Seconds that the cache keeps a value after its last write. */
export interface Lifetime {
  readonly seconds: number;
}

/** All methods throw a {@link ServiceError} `unavailable` while the cache is unreachable; the next call tries again. */
export interface SharedCache extends Disposable {
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

/** The server, and the purpose of the cache. */
export interface SharedCacheOptions {
  /** `host:port` or `[address]:port`. */
  readonly address: string;
  readonly log: Log;
  /** Its use, as the log names it: `sessions`. */
  readonly purpose: string;
  /** Milliseconds that an answer may take. Default: 1,000. */
  readonly timeout?: number;
}

/** Connects on first use. */
export function createSharedCache(options: SharedCacheOptions): SharedCache {
  return new Memcached(options);
}

const GET = 0x00;
const SET = 0x01;
const ADD = 0x02;
const DELETE = 0x04;
const TOUCH = 0x1c;

const DONE = 0;
const NOT_FOUND = 1;
const EXISTS = 2;
const NOT_STORED = 5;

const TIMEOUT = 1000;
/** The server reads a larger number of seconds as a date. */
const LONGEST_RELATIVE = 60 * 60 * 24 * 30;
/** Seconds after which a caller may try again. */
const RETRY_AFTER = 5;

/** A request and the expected statuses of the answer; any other is a failure. */
interface Ask extends MemcachedRequest {
  readonly expected: readonly number[];
}

class Memcached implements SharedCache {
  readonly #options: SharedCacheOptions;
  readonly #connection: MemcachedConnection;
  #isDown = false;

  constructor(options: SharedCacheOptions) {
    this.#options = options;
    const { address, timeout = TIMEOUT } = options;
    this.#connection = new MemcachedConnection({ address, timeout });
  }

  async get(key: string): Promise<Cached | undefined> {
    const { header, val } = await this.#ask({ operation: GET, key, expected: [DONE, NOT_FOUND] });
    if (header.status !== DONE) return undefined;
    return { value: val.toString("utf8"), version: new Uint8Array(header.cas) };
  }

  async add(key: string, value: string, lifetime: Lifetime): Promise<boolean> {
    const extras = Buffer.concat([Buffer.alloc(4), expiration(lifetime)]);
    const { header } = await this.#ask({
      operation: ADD,
      key,
      value,
      extras,
      expected: [DONE, EXISTS, NOT_STORED],
    });
    return header.status === DONE;
  }

  async replace(
    key: string,
    value: string,
    { version, seconds }: Lifetime & { readonly version: Version },
  ): Promise<boolean> {
    const extras = Buffer.concat([Buffer.alloc(4), expiration({ seconds })]);
    const expected = [DONE, NOT_FOUND, EXISTS, NOT_STORED];
    const { header } = await this.#ask({ operation: SET, key, value, extras, version, expected });
    return header.status === DONE;
  }

  async touch(key: string, lifetime: Lifetime): Promise<boolean> {
    const extras = expiration(lifetime);
    const { header } = await this.#ask({ operation: TOUCH, key, extras, expected: [DONE, NOT_FOUND] });
    return header.status === DONE;
  }

  async remove(key: string): Promise<void> {
    await this.#ask({ operation: DELETE, key, expected: [DONE, NOT_FOUND] });
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }

  async #ask(ask: Ask): Promise<MemcachedResponse> {
    try {
      const response = await this.#connection.send(ask);
      if (!ask.expected.includes(response.header.status)) {
        throw new Error(
          `It answered with status ${response.header.status}: ${response.val.toString("utf8")}`,
        );
      }
      this.#noteUp();
      return response;
    } catch (cause) {
      this.#noteDown(cause);
      throw new ServiceError(
        "unavailable",
        "The shared cache is not available at the moment: try again later",
        {
          cause,
          headers: { "Retry-After": String(RETRY_AFTER) },
        },
      );
    }
  }

  #noteDown(cause: unknown): void {
    if (this.#isDown) return;
    this.#isDown = true;
    const { address, purpose, log } = this.#options;
    log.error(`The shared cache at ${address} cannot be used for ${purpose}`, cause);
  }

  #noteUp(): void {
    if (!this.#isDown) return;
    this.#isDown = false;
    const { address, purpose, log } = this.#options;
    log.info(`The shared cache at ${address} can be used for ${purpose} again`);
  }
}

function expiration({ seconds }: Lifetime): Buffer {
  const whole = Math.max(1, Math.ceil(seconds));
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(whole > LONGEST_RELATIVE ? Math.ceil(Date.now() / 1000) + whole : whole);
  return buffer;
}
