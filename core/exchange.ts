/**
 * One request on its way through the stages, with notes for its answer.
 *
 * @module
 */

import type { MemoryRoom } from "@/core/base/client_memory.ts";
import { inTime } from "@/core/base/in_time.ts";
import { requestLog } from "@/core/base/named_log.ts";
import { LatePlugin } from "@/core/base/plugin_failures.ts";
import type { Stages } from "@/core/base/tracing.ts";
import type { Client } from "@/core/identity/client_address.ts";
import type { Caller } from "@/core/identity/permissions.ts";
import { originOf } from "@/core/request/check_host.ts";
import type { FormState } from "@/core/request/form_fields.ts";
import { type Negotiated, titleOf } from "@/core/request/formats.ts";
import type { HeldBody } from "@/core/request/held_body.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { LoggedRequest } from "@/core/storage/request_log.ts";
import type { Log, Sender } from "@/plugins/contract.ts";
import type { Service } from "./service.ts";

/**
 * Getters compute their value on demand: creating the signal costs more than a read by key. The stages pass
 * their results on to each other; the mutable members are notes for the envelope of the answer.
 */
export class Exchange implements Sender {
  readonly raw: Request;
  /** Path and query as sent. */
  readonly target: string;
  /** The snapshot at the arrival of the request. */
  readonly service: Service;
  readonly method: string;
  readonly headers: Headers;
  readonly client: Client;
  readonly requestId: string;
  /** Values of `Set-Cookie`. */
  readonly cookies: string[] = [];
  /** The body, if stage 2 has read it for its digest. */
  held: HeldBody | undefined;
  /** Nothing more may be read of the request: its memory would never be given back. */
  isAnswered = false;
  /** Set by stage 1. */
  request: ApiRequest | undefined;
  /** Set by stage 2. */
  caller: Caller | undefined;
  /** Whether executing the plan changes anything; set by stage 3. */
  effect: boolean | undefined;
  /** The format of an error or of a page; absent: that of the request. */
  format: Negotiated | undefined;
  /** The answer contains a form's token: it must not be cached or read by pages of another origin. */
  isForm = false;
  /** The path of the definition that it has created, for the audit log: its own names none. */
  created: string | undefined;
  /** The form that is shown again, with its values and mistakes. */
  typed: FormState | undefined;
  /** The path of the request without names and values, for metrics. Absent: that of a resource. */
  route: string | undefined;
  /** Set if a page is planned again, with the tables of its path alone. */
  isNarrow = false;
  /** Its entry in the request log. */
  logged: LoggedRequest | undefined;
  /** The number of records in the answer, so far if it is read while it is sent; for the log. */
  rows: number | undefined;
  /** The body, where it is built at once; for the log. */
  written: string | Uint8Array | { readonly slices: readonly Uint8Array[] } | undefined;
  /** The bytes of an answer that is read while it is sent, when that has ended; for the log. */
  sent: Promise<number> | undefined;
  /** Absent: their times are not measured. */
  stages: Stages | undefined;
  /** The reason of a refusal. */
  error: unknown;
  /** Answers above 64 KiB are given in slices. */
  takesSlices = false;

  constructor(raw: Request, target: string, client: Client, service: Service) {
    const { method, headers } = raw;
    this.raw = raw;
    this.target = target;
    this.service = service;
    this.method = method;
    this.headers = headers;
    this.client = client;
    this.requestId = requestIdOf(headers);
  }

  /** Aborted when the client disconnects: a read may take as long as its client waits. */
  get signal(): AbortSignal {
    return this.raw.signal;
  }

  /** The owner of a turn of costly work: the login of the user, or the network without a login. */
  get turn(): string {
    return this.caller && !this.caller.anonymous ? this.caller.user.login : this.client.network;
  }

  /** Rows per chunk of a stream. */
  get fetchSize(): number {
    return this.service.settings["orm_sdb.yield_per"];
  }

  /** Scheme and host of absolute URLs. Throws 400 for a host that is invalid in URLs. */
  get origin(): string {
    const { raw: { url }, headers, client: { isHttps }, service } = this;
    return service.origin ?? originOf({ url, host: headers.get("host"), isHttps });
  }

  /** Waits for a piece of the answer that its format has promised, no longer than a plugin may take. */
  settle<T>(piece: Promise<T>): Promise<T> {
    const { service, request, format = request?.format ?? service.formats.fallback } = this;
    const late = () => new LatePlugin(`${titleOf(format)} in its writer`);
    return Promise.resolve(inTime(piece, service.settings["server.plugin_timeout"], late));
  }

  /** For lines about this request. */
  get log(): Log {
    return requestLog(this.service.log, this.requestId);
  }

  /** Memory for an answer that is too large to be sent at once. */
  room(): MemoryRoom {
    return this.service.answerMemory.open(this.client.network);
  }
}

/** The results of stages 1 and 2, which the later stages receive. */
export interface Admitted {
  readonly request: ApiRequest;
  readonly caller: Caller;
  readonly exchange: Exchange;
}

/** The client's id if it is harmless in a log line, else a new one. */
function requestIdOf(headers: Headers): string {
  const sent = headers.get("x-request-id");
  return sent !== null && /^[\w.-]{1,64}$/.test(sent) ? sent : crypto.randomUUID();
}
