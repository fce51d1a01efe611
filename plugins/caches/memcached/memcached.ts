/**
 * The requests to memcached, as memjs writes them.
 *
 * @module
 */

import { Buffer } from "node:buffer";
// @ts-types="./memjs.d.ts"
import memjs, { type Server, type ServerResponse } from "memjs";
import type { Cached, CacheVersion, Lifetime, SharedCache } from "@/plugins/contract.ts";
import { RenewedConnection } from "@/plugins/kit/renewed_connection.ts";

/** One request. */
interface Ask {
  readonly operation: number;
  readonly key: string;
  readonly extras?: Buffer;
  readonly value?: string;
  /** The version that the value must have. */
  readonly version?: CacheVersion;
}

const GET = 0x00;
const SET = 0x01;
const ADD = 0x02;
const DELETE = 0x04;
const TOUCH = 0x1c;

const DONE = 0;
/** Done, not found, exists, not stored; any other status is a failure. */
const EXPECTED: readonly number[] = [DONE, 1, 2, 5];

/** Milliseconds that an answer may take. */
const TIMEOUT = 1000;
/** The server reads a larger number of seconds as a date. */
const LONGEST_RELATIVE = 60 * 60 * 24 * 30;
/** The last date, in seconds since 1970. */
const LATEST = 0xffff_ffff;

const VERSION = /^(?!0+$)[0-9a-f]{16}$/;

/** One server at `host:port`. */
export class Memcached implements SharedCache {
  readonly #connection: RenewedConnection<Server>;
  #sequence = 0;

  /** `timeout`: milliseconds that an answer may take. */
  constructor(address: string, timeout = TIMEOUT) {
    this.#connection = new RenewedConnection({
      timeout,
      connect: () => connect(address, timeout),
      end: (server, reason) => server.error(reason),
    });
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
    { version, seconds }: Lifetime & { readonly version: CacheVersion },
  ): Promise<boolean> {
    // Without a version the server would replace any value.
    if (!VERSION.test(version)) return false;
    return await this.#isDone({ operation: SET, key, value, extras: flagsAnd({ seconds }), version });
  }

  async touch(key: string, lifetime: Lifetime): Promise<boolean> {
    return await this.#isDone({ operation: TOUCH, key, extras: expiration(lifetime) });
  }

  async remove(key: string): Promise<void> {
    await this.#ask({ operation: DELETE, key });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#connection[Symbol.dispose]();
    return Promise.resolve();
  }

  async #isDone(ask: Ask): Promise<boolean> {
    return (await this.#ask(ask)).header.status === DONE;
  }

  async #ask(ask: Ask): Promise<ServerResponse> {
    const response = await this.#connection.use((server) => this.#send(server, ask));
    const { header: { status }, val } = response;
    if (!EXPECTED.includes(status)) throw new Error(`It answered with status ${status}: ${val}`);
    return response;
  }

  async #send(server: Server, { operation, key, extras, value = "", version }: Ask): Promise<ServerResponse> {
    const sequence = this.#sequence = (this.#sequence + 1) % 0x7fff_ffff;
    const bytes = memjs.Utils.makeRequestBuffer(operation, key, extras ?? "", value, sequence);
    if (version) bytes.set(Buffer.from(version, "hex"), 16);
    const { promise, resolve, reject } = Promise.withResolvers<ServerResponse>();
    server.onResponse(sequence, resolve);
    server.onError(sequence, reject);
    server.write(bytes);
    return await promise;
  }
}

/**
 * memjs notices neither a connection that the server closes nor every late answer. Its limits are longer than
 * those of the connection, so that these always fire first.
 */
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
  const date = Math.min(Math.ceil(Date.now() / 1000) + whole, LATEST);
  buffer.writeUInt32BE(whole > LONGEST_RELATIVE ? date : whole);
  return buffer;
}
