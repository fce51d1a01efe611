/** The part of memjs that the shared cache uses; the package has no types of its own. */

import type { Buffer } from "node:buffer";

/** Limits of memjs's own. */
export interface ServerOptions {
  /** Seconds. */
  readonly timeout: number;
  /** Seconds. */
  readonly conntimeout: number;
}

/** A response of memcached's binary protocol; `cas` is the version of the value. */
export interface ServerResponse {
  readonly header: { readonly status: number; readonly cas: Buffer };
  readonly val: Buffer;
}

/** One server and the connection to it, which is made when something is first written. */
export class Server {
  constructor(
    host: string,
    port: number,
    username: string | undefined,
    password: string | undefined,
    options: ServerOptions,
  );
  onResponse(sequence: number, handle: (response: ServerResponse) => void): void;
  onError(sequence: number, handle: (error: unknown) => void): void;
  write(request: Buffer): void;
  /** Ends the connection; everything that is under way fails with the error. */
  error(error: Error): void;
}

declare const memjs: {
  readonly Server: typeof Server;
  readonly Utils: {
    makeRequestBuffer(
      operation: number,
      key: string,
      extras: Buffer | "",
      value: string,
      sequence: number,
    ): Buffer;
  };
};
export default memjs;
