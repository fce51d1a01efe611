/**
 * The headers of every answer.
 *
 * @module
 */

import type { Exchange } from "@/core/exchange.ts";
import { ADMIN, SESSION_ENDED } from "@/core/identity/permissions.ts";
import type { ApiRequest } from "@/core/request/parse_request.ts";
import { corsHeaders } from "./cors.ts";

/** Pages load scripts, styles and pictures of this service only, and send forms only to it. */
const PAGE_HEADERS: readonly (readonly [string, string])[] = [
  [
    "Content-Security-Policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  ],
  ["Referrer-Policy", "same-origin"],
];

/** Adds the headers to a response and returns it. */
export function finish(response: Response, exchange: Exchange): Response {
  const { service, requestId, request, caller, cookies, isForm } = exchange;
  const out = withCommonHeaders(response).headers;
  const isPage = (exchange.format ?? request?.format)?.format.paged === true;
  out.set("X-Request-Id", requestId);
  if (!out.has("cache-control")) out.set("Cache-Control", cacheControl(isPage, exchange));
  const hasFormat = exchange.error !== undefined || exchange.format !== undefined;
  out.set("Vary", varyOf(out.has("content-type"), request ? variesByAccept(request) : hasFormat));
  if (response.status === 304) keepWeak(out, exchange.headers);
  exchange.stages?.end("respond");
  if (exchange.stages && caller?.user.login === ADMIN) out.set("Server-Timing", exchange.stages.timing);
  for (const cookie of cookies) out.append("Set-Cookie", cookie);
  // Pages of a session contain its token.
  const isReadable = !isForm && !(isPage && caller?.session);
  if (isReadable) setAll(out, corsHeaders(exchange, service));
  if (isPage) setAll(out, PAGE_HEADERS.filter(([name]) => !out.has(name)));
  if (caller?.sessionEnded && !out.has("warning")) out.set("Warning", SESSION_ENDED);
  return response;
}

/** The header of all answers, including preflights. */
export function withCommonHeaders(response: Response): Response {
  response.headers.set("X-Content-Type-Options", "nosniff");
  return response;
}

/**
 * Shared caches must not store an answer for one user, or one with a cookie. Such pages are not stored at
 * all, so that the Back button shows none of them after the logout.
 */
function cacheControl(isPage: boolean, { caller, cookies, isForm }: Exchange): string {
  const isOwn = caller?.anonymous === false || cookies.length > 0;
  if (isForm || (isPage && isOwn)) return "no-store";
  return isOwn ? "private, no-cache" : "no-cache";
}

/** The client has the answer with a weak tag if that was compressed, which is up to the server. */
function keepWeak(out: Headers, sent: Headers): void {
  const weak = `W/${out.get("etag")}`;
  if (sent.get("if-none-match")?.includes(weak)) out.set("ETag", weak);
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
