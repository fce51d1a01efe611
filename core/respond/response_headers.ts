/**
 * The headers that every answer has, whatever made it.
 *
 * @module
 */

import { corsHeaders, type CorsRules } from "./cors.ts";
import type { Negotiated } from "@/core/request/formats.ts";
import { type Caller, SESSION_ENDED } from "@/core/identity/permissions.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import type { Sender } from "@/plugins/contract.ts";

/** What decides the headers that all answers have; a request or caller is absent where it was refused before. */
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
  /** Holds a form's token, so nobody keeps it and no page of another origin reads it. */
  readonly isForm?: boolean;
}

/** Pages load nothing but their own inline style and send forms nowhere else. */
const PAGE_HEADERS: readonly (readonly [string, string])[] = [
  [
    "Content-Security-Policy",
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  ],
  ["Referrer-Policy", "same-origin"],
];

/** Adds them to a response, and gives it. */
export function finish(response: Response, answered: Answered): Response {
  const { sender, service, requestId, request, caller, format, cookies = [], isForm = false } = answered;
  const out = withCommonHeaders(response).headers;
  const isPage = (format ?? request?.format)?.format.paged === true;
  out.set("X-Request-Id", requestId);
  out.set("Cache-Control", cacheControl(answered));
  out.set("Vary", varyOf(out.has("content-type"), request !== undefined && variesByAccept(request)));
  for (const cookie of cookies) out.append("Set-Cookie", cookie);
  // Pages of a session hold its token.
  const isReadable = !isForm && !(isPage && caller?.session);
  if (isReadable) setAll(out, corsHeaders(sender, service));
  if (isPage) setAll(out, PAGE_HEADERS);
  if (caller?.sessionEnded && !out.has("warning")) out.set("Warning", SESSION_ENDED);
  return response;
}

/** The header that every answer has, preflights included. */
export function withCommonHeaders(response: Response): Response {
  response.headers.set("X-Content-Type-Options", "nosniff");
  return response;
}

/** A client's own id if it is harmless in a log line, else a new one. */
export function requestIdOf(headers: Headers): string {
  const sent = headers.get("x-request-id");
  return sent !== null && /^[\w.-]{1,64}$/.test(sent) ? sent : crypto.randomUUID();
}

/** Nobody else may keep an answer that belongs to one user, or that gives a browser a cookie. */
function cacheControl({ caller, cookies = [], isForm = false }: Answered): string {
  if (isForm) return "no-store";
  return caller?.anonymous === false || cookies.length > 0 ? "private, no-cache" : "no-cache";
}

function setAll(headers: Headers, list: readonly (readonly [string, string])[]): void {
  for (const [name, value] of list) headers.set(name, value);
}

/** An extension leaves the content type to `Accept` where its format has several. */
function variesByAccept({ negotiated, format }: Pick<ApiRequest, "negotiated" | "format">): boolean {
  return negotiated || format.format.contentTypes.length > 1;
}

/** Whatever has content may be compressed; who compresses it is left to the server. */
function varyOf(hasContent: boolean, negotiated: boolean): string {
  if (!hasContent) return negotiated ? "Accept, Origin" : "Origin";
  return negotiated ? "Accept, Accept-Encoding, Origin" : "Accept-Encoding, Origin";
}
