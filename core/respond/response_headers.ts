/**
 * The headers of every answer.
 *
 * @module
 */

import { corsHeaders, type CorsRules } from "./cors.ts";
import type { Negotiated } from "@/core/request/formats.ts";
import { type Caller, SESSION_ENDED } from "@/core/identity/permissions.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { Sender } from "@/plugins/contract.ts";

/** The facts that decide these headers; request and caller are absent if the request was refused before. */
export interface Answered {
  readonly sender: Sender;
  readonly service: CorsRules;
  readonly requestId: string;
  readonly request?: Pick<ApiRequest, "negotiated" | "format"> | undefined;
  readonly caller?: Pick<Caller, "anonymous" | "session" | "sessionEnded"> | undefined;
  /** The format of an error. */
  readonly format?: Negotiated;
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[];
  /** The answer has a form's token, so it must not be cached or read by pages of another origin. */
  readonly isForm?: boolean;
}

/** Pages load nothing except their inline style, and send forms only to this service. */
const PAGE_HEADERS: readonly (readonly [string, string])[] = [
  [
    "Content-Security-Policy",
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  ],
  ["Referrer-Policy", "same-origin"],
];

/** Adds the headers to a response and returns it. */
export function finish(response: Response, answered: Answered): Response {
  const { sender, service, requestId, request, caller, format, cookies = [], isForm = false } = answered;
  const out = withCommonHeaders(response).headers;
  const isPage = (format ?? request?.format)?.format.paged === true;
  out.set("X-Request-Id", requestId);
  out.set("Cache-Control", cacheControl(answered));
  out.set("Vary", varyOf(out.has("content-type"), request !== undefined && variesByAccept(request)));
  for (const cookie of cookies) out.append("Set-Cookie", cookie);
  // Pages of a session contain its token.
  const isReadable = !isForm && !(isPage && caller?.session);
  if (isReadable) setAll(out, corsHeaders(sender, service));
  if (isPage) setAll(out, PAGE_HEADERS);
  if (caller?.sessionEnded && !out.has("warning")) out.set("Warning", SESSION_ENDED);
  return response;
}

/** The header of all answers, including preflights. */
export function withCommonHeaders(response: Response): Response {
  response.headers.set("X-Content-Type-Options", "nosniff");
  return response;
}

/** The client's id if it is harmless in a log line, else a new one. */
export function requestIdOf(headers: Headers): string {
  const sent = headers.get("x-request-id");
  return sent !== null && /^[\w.-]{1,64}$/.test(sent) ? sent : crypto.randomUUID();
}

/** Shared caches must not store an answer for one user, or one with a cookie. */
function cacheControl({ caller, cookies = [], isForm = false }: Answered): string {
  if (isForm) return "no-store";
  return caller?.anonymous === false || cookies.length > 0 ? "private, no-cache" : "no-cache";
}

function setAll(headers: Headers, list: readonly (readonly [string, string])[]): void {
  for (const [name, value] of list) headers.set(name, value);
}

/** An extension leaves the content type to `Accept` if its format has several. */
function variesByAccept({ negotiated, format }: Pick<ApiRequest, "negotiated" | "format">): boolean {
  return negotiated || format.format.contentTypes.length > 1;
}

/** Any content may be compressed, which is up to the server. */
function varyOf(hasContent: boolean, negotiated: boolean): string {
  if (!hasContent) return negotiated ? "Accept, Origin" : "Origin";
  return negotiated ? "Accept, Accept-Encoding, Origin" : "Accept-Encoding, Origin";
}
