/**
 * One request on its way through the stages: how it came, and what its answer takes along.
 *
 * @module
 */

import type { MemoryRoom } from "@/core/base/client_memory.ts";
import type { Client, Connection } from "@/core/identity/client_address.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import { originOf } from "@/core/request/check_host.ts";
import type { Negotiated } from "@/core/request/formats.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { Service } from "./service.ts";
import type { Sender } from "@/plugins/contract.ts";

/**
 * Getters look up only what they are asked for: making the signal costs more than a keyed read takes. The stages hand
 * their results on to each other; the members that change are notes for what surrounds every answer.
 */
export class Exchange implements Sender {
  readonly raw: Request;
  /** Path and query as they were sent. */
  readonly target: string;
  /** The snapshot that was in force when the request came. */
  readonly service: Service;
  readonly method: string;
  readonly headers: Headers;
  readonly client: Client;
  readonly requestId: string;
  /** Values of `Set-Cookie`. */
  readonly cookies: string[] = [];
  /** Noted by stage 1. */
  request: ApiRequest | undefined;
  /** Noted by stage 2. */
  caller: Caller | undefined;
  /** Whether carrying it out changes anything, noted by stage 3. */
  effect: boolean | undefined;
  /** The format of an error or of a page; absent: that of the request. */
  format: Negotiated | undefined;
  /** The answer holds a form's token: nobody keeps it, and no page of another origin reads it. */
  isForm = false;
  /** The reason for which the request was refused. */
  error: unknown;

  constructor(raw: Request, target: string, connection: Connection, service: Service) {
    const { method, headers } = raw;
    this.raw = raw;
    this.target = target;
    this.service = service;
    this.method = method;
    this.headers = headers;
    this.client = service.findClient(connection, headers);
    this.requestId = requestIdOf(headers);
  }

  /** Aborted when the client has gone: a read may go on as long as its client waits. */
  get signal(): AbortSignal {
    return this.raw.signal;
  }

  /** Rows per chunk of a stream. */
  get fetchSize(): number {
    return this.service.settings["orm_sdb.yield_per"];
  }

  /** Scheme and host of absolute URLs. Throws 400 for a host that no URL can have. */
  get origin(): string {
    const { raw: { url }, headers, client: { isHttps }, service } = this;
    return service.origin ?? originOf({ url, host: headers.get("host"), isHttps });
  }

  /** Memory for an answer that is too large to be sent at once. */
  room(): MemoryRoom {
    return this.service.answerMemory.open(this.client.network);
  }
}

/** The client's id if it is harmless in a log line, else a new one. */
function requestIdOf(headers: Headers): string {
  const sent = headers.get("x-request-id");
  return sent !== null && /^[\w.-]{1,64}$/.test(sent) ? sent : crypto.randomUUID();
}
