/**
 * memcached, the cache that all nodes share, in its binary protocol.
 *
 * @module
 */

import { Buffer } from "node:buffer";
// @ts-types="./memjs.d.ts"
import memjs, { type Server, type ServerResponse } from "memjs";
import { METERS } from "@/core/base/meters.ts";
import { ServiceError } from "@/core/errors.ts";
import type { Log } from "@/plugins/contract.ts";
import type { Cached, Lifetime, SharedCache, Version } from "./shared_cache.ts";

/** The server, and the purpose of the cache. */
export interface MemcachedOptions {
  /** `host:port` or `[address]:port`. */
  readonly address: string;
  readonly log: Log;
  /** Its use, as the log names it: `sessions`. */
  readonly purpose: string;
  /** Milliseconds that an answer may take. Default: 1,000. */
  readonly timeout?: number;
}

/** One request. */
interface Ask {
  readonly operation: number;
  readonly key: string;
  readonly extras?: Buffer;
  readonly value?: string;
  /** The version that the value must have. */
  readonly version?: Version;
}

const GET = 0x00;
const SET = 0x01;
const ADD = 0x02;
const DELETE = 0x04;
const TOUCH = 0x1c;

const DONE = 0;
/** Done, not found, exists, not stored; any other status is a failure. */
const EXPECTED: readonly number[] = [DONE, 1, 2, 5];

const TIMEOUT = 1000;
/** The server reads a larger number of seconds as a date. */
const LONGEST_RELATIVE = 60 * 60 * 24 * 30;
/** Seconds after which a caller may try again. */
const RETRY_AFTER = 5;
/** Other keys of the server may belong to other programs. */
const PREFIX = "rowhouse:";

/** Connects on first use, and again after a failure. Requests may overlap. */
export class Memcached implements SharedCache {
  readonly #options: MemcachedOptions;
  #server: Server | undefined;
  /** Whether the present connection has answered before. */
  #hasAnswered = false;
  #sequence = 0;
  #isDown = false;

  constructor(options: MemcachedOptions) {
    this.#options = options;
    METERS.trouble(`shared cache for ${options.purpose}`, undefined);
  }

  async get(key: string): Promise<Cached | undefined> {
    const { header, val } = await this.#ask({ operation: GET, key });
    if (header.status !== DONE) return undefined;
    return { value: val.toString("utf8"), version: header.cas.toString("hex") };
  }

  async add(key: string, value: string, lifetime: Lifetime): Promise<boolean> {
    return await this.#isDone({ operation: ADD, key, value, extras: flagsAnd(lifetime) });
  }

  async replace(
    key: string,
    value: string,
    { version, seconds }: Lifetime & { readonly version: Version },
  ): Promise<boolean> {
    return await this.#isDone({ operation: SET, key, value, extras: flagsAnd({ seconds }), version });
  }

  async touch(key: string, lifetime: Lifetime): Promise<boolean> {
    return await this.#isDone({ operation: TOUCH, key, extras: expiration(lifetime) });
  }

  async remove(key: string): Promise<void> {
    await this.#ask({ operation: DELETE, key });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disconnect(this.#server, new Error("The service stops"));
    return Promise.resolve();
  }

  async #isDone(ask: Ask): Promise<boolean> {
    return (await this.#ask(ask)).header.status === DONE;
  }

  /** The log has one line when the server fails, and one when it answers again. */
  async #ask(ask: Ask): Promise<ServerResponse> {
    const { address, purpose, log } = this.#options;
    try {
      const response = await this.#send(ask);
      const { header: { status }, val } = response;
      if (!EXPECTED.includes(status)) throw new Error(`It answered with status ${status}: ${val}`);
      if (this.#isDown) log.info(`The shared cache at ${address} can be used for ${purpose} again`);
      this.#isDown = false;
      METERS.trouble(`shared cache for ${purpose}`, undefined);
      return response;
    } catch (cause) {
      if (!this.#isDown) log.error(`The shared cache at ${address} cannot be used for ${purpose}`, cause);
      this.#isDown = true;
      METERS.trouble(`shared cache for ${purpose}`, cause instanceof Error ? cause.message : String(cause));
      throw new ServiceError(
        "unavailable",
        "The shared cache is not available at the moment: try again later",
        { cause, headers: { "Retry-After": String(RETRY_AFTER) } },
      );
    }
  }

  /**
   * A restarted server has closed the old connection, which is only noticed on use; so a request that fails on a used
   * connection is sent once more on a new one.
   */
  async #send(ask: Ask): Promise<ServerResponse> {
    const wasUsed = this.#hasAnswered;
    try {
      return await this.#sendOnce(ask);
    } catch (error) {
      if (!wasUsed || error instanceof Silence) throw error;
      return await this.#sendOnce(ask);
    }
  }

  /**
   * memjs notices neither a connection that the server closes nor every late answer, so this method has its own
   * timeout.
   */
  async #sendOnce({ operation, key, extras, value = "", version }: Ask): Promise<ServerResponse> {
    const { address, timeout = TIMEOUT } = this.#options;
    const server = this.#server ??= connect(address, timeout);
    const sequence = this.#sequence = (this.#sequence + 1) % 0x7fff_ffff;
    const bytes = memjs.Utils.makeRequestBuffer(operation, PREFIX + key, extras ?? "", value, sequence);
    if (version) bytes.set(Buffer.from(version, "hex"), 16);
    const { promise, resolve, reject } = Promise.withResolvers<ServerResponse>();
    server.onResponse(sequence, resolve);
    server.onError(sequence, reject);
    const timer = setTimeout(() => reject(new Silence("It does not answer")), timeout);
    try {
      server.write(bytes);
      const response = await promise;
      this.#hasAnswered = true;
      return response;
    } catch (error) {
      // A connection that failed once may hold half an answer.
      this.#disconnect(server, new Error("The connection was given up", { cause: error }));
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #disconnect(server: Server | undefined, reason: Error): void {
    if (this.#server === server) {
      this.#server = undefined;
      this.#hasAnswered = false;
    }
    server?.error(reason);
  }
}

/** The server did not answer in time. */
class Silence extends Error {}

/** The limits of memjs are longer, so that the timeout of this module always fires first. */
function connect(address: string, timeout: number): Server {
  const colon = address.lastIndexOf(":");
  const host = address.slice(0, colon).replace(/^\[|\]$/g, "");
  const port = Number(address.slice(colon + 1));
  const seconds = 2 * timeout / 1000;
  return new memjs.Server(host, port, undefined, undefined, { timeout: seconds, conntimeout: seconds });
}

/** The extras of a write: no flags, and the expiration. */
function flagsAnd(lifetime: Lifetime): Buffer {
  return Buffer.concat([Buffer.alloc(4), expiration(lifetime)]);
}

function expiration({ seconds }: Lifetime): Buffer {
  const whole = Math.max(1, Math.ceil(seconds));
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(whole > LONGEST_RELATIVE ? Math.ceil(Date.now() / 1000) + whole : whole);
  return buffer;
}
