/**
 * The connection to one memcached: sends requests of its binary protocol and hands out the answers.
 *
 * @module
 */

import type { Buffer } from "node:buffer";
// @ts-types="./memjs.d.ts"
import memjs, { type Server, type ServerResponse } from "memjs";

/** One request. */
export interface MemcachedRequest {
  readonly operation: number;
  readonly key: string;
  readonly extras?: Buffer;
  readonly value?: string;
  /** The version that the value must have: `cas`. */
  readonly version?: Uint8Array;
}

/** A response as memjs parses it: status and version in its header, the value's bytes. */
export type MemcachedResponse = ServerResponse;

/** Which memcached, and how long to wait for it. */
export interface MemcachedOptions {
  /** `host:port` or `[address]:port`. */
  readonly address: string;
  /** Milliseconds that an answer may take. */
  readonly timeout: number;
}

/** Connects when it is first used, and again after a failure. Requests may be sent while others are under way. */
export class MemcachedConnection implements Disposable {
  readonly #options: MemcachedOptions;
  #server: Server | undefined;
  /** Whether the present connection has been good for anything. */
  #hasAnswered = false;
  #sequence = 0;

  constructor(options: MemcachedOptions) {
    this.#options = options;
  }

  /**
   * Throws when there is no answer. A server that was restarted has closed the connection of before, which is noticed when
   * it is used; so a request that fails on an old connection is sent once more on a new one.
   */
  async send(request: MemcachedRequest): Promise<MemcachedResponse> {
    const wasUsed = this.#hasAnswered;
    try {
      return await this.#sendOnce(request);
    } catch (error) {
      if (!wasUsed || error instanceof Silence) throw error;
      return await this.#sendOnce(request);
    }
  }

  [Symbol.dispose](): void {
    this.#disconnect(this.#server, new Error("The service stops"));
  }

  /** The package notices neither a connection that the server closes nor all late answers, so this watches the time. */
  async #sendOnce(
    { operation, key, extras, value = "", version }: MemcachedRequest,
  ): Promise<MemcachedResponse> {
    const server = this.#server ??= connect(this.#options);
    const sequence = this.#sequence = (this.#sequence + 1) % 0x7fff_ffff;
    const bytes = memjs.Utils.makeRequestBuffer(operation, key, extras ?? "", value, sequence);
    if (version) bytes.set(version, 16);
    const { promise, resolve, reject } = Promise.withResolvers<MemcachedResponse>();
    server.onResponse(sequence, resolve);
    server.onError(sequence, reject);
    const timer = setTimeout(() => reject(new Silence()), this.#options.timeout);
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
    if (!server) return;
    if (this.#server === server) {
      this.#server = undefined;
      this.#hasAnswered = false;
    }
    server.error(reason);
  }
}

/** No answer came in time. */
class Silence extends Error {
  constructor() {
    super("It does not answer");
    this.name = "Silence";
  }
}

/** The package's own limits are longer, so that it is always this module that gives up. */
function connect({ address, timeout }: MemcachedOptions): Server {
  const colon = address.lastIndexOf(":");
  const host = address.slice(0, colon).replace(/^\[|\]$/g, "");
  const port = Number(address.slice(colon + 1));
  const seconds = 2 * timeout / 1000;
  return new memjs.Server(host, port, undefined, undefined, { timeout: seconds, conntimeout: seconds });
}
