/** Types for the part of memjs that the shared cache uses; the package has none. */

import type { Buffer } from "node:buffer";

/** A response of memcached's binary protocol; `cas` is the version of the value. */
export interface ServerResponse {
  readonly header: { readonly status: number; readonly cas: Buffer };
  readonly val: Buffer;
}

/** One server and its connection, which is made on the first write. */
export class Server {
  constructor(
    host: string,
    port: number,
    username: string | undefined,
    password: string | undefined,
    /** Seconds. */
    options: { readonly timeout: number; readonly conntimeout: number },
  );
  onResponse(sequence: number, handle: (response: ServerResponse) => void): void;
  onError(sequence: number, handle: (error: unknown) => void): void;
  write(request: Buffer): void;
  /** Ends the connection; all pending requests fail with the error. */
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
