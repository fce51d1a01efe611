/**
 * The connection to one memcached server: sends requests of its binary protocol and matches the answers.
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
  /** The version that the value must have, for compare-and-swap (`cas`). */
  readonly version?: Uint8Array;
}

/** A response as memjs parses it: status and version in its header, the value's bytes. */
export type MemcachedResponse = ServerResponse;

/** The server, and the time limit of an answer. */
export interface MemcachedOptions {
  /** `host:port` or `[address]:port`. */
  readonly address: string;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Connects on first use, and again after a failure. Requests may overlap. */
export class MemcachedConnection implements Disposable {
  readonly #options: MemcachedOptions;
  #server: Server | undefined;
  /** Whether the present connection has answered before. */
  #hasAnswered = false;
  #sequence = 0;

  constructor(options: MemcachedOptions) {
    this.#options = options;
  }

  /**
   * Throws when no answer comes. A restarted server has closed the old connection, which is only noticed on use; so a
   * request that fails on a used connection is sent once more on a new one.
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

  /**
   * memjs notices neither a connection that the server closes nor every late answer, so this method has its own
   * timeout.
   */
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

/** The server did not answer in time. */
class Silence extends Error {
  constructor() {
    super("It does not answer");
    this.name = "Silence";
  }
}

/** The limits of memjs are longer, so that the timeout of this module always fires first. */
function connect({ address, timeout }: MemcachedOptions): Server {
  const colon = address.lastIndexOf(":");
  const host = address.slice(0, colon).replace(/^\[|\]$/g, "");
  const port = Number(address.slice(colon + 1));
  const seconds = 2 * timeout / 1000;
  return new memjs.Server(host, port, undefined, undefined, { timeout: seconds, conntimeout: seconds });
}
