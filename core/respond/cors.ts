/**
 * Cross-origin answers. Only pages of this service and of `cors.trusted_origins` may read answers that depend
 * on the browser's cookie; other pages can read public answers. With `cors.open` every origin may do
 * everything, as in the specification's sample.
 *
 * @module
 */

import { isTrustedOrigin } from "@/core/identity/cross_site.ts";
import type { Service } from "@/core/service.ts";
import type { Sender } from "@/plugins/contract.ts";

const METHODS = "HEAD, OPTIONS, GET, POST, PUT, DELETE";
/** Seconds that a browser may cache a preflight's answer. */
const MAX_AGE = "180";
/** The exposed headers of the specification's sample. */
const SAMPLE_HEADERS = "Set-Cookie, Warning";

/** The configuration that decides about origins. */
type CorsRules = Pick<Service, "origin" | "settings" | "countHeader">;

/** Headers of every answer to a request with an `Origin`; empty for other requests. */
export function corsHeaders(sender: Sender, rules: CorsRules): readonly (readonly [string, string])[] {
  const origin = sender.headers.get("origin");
  if (origin === null) return [];
  const isOpen = rules.settings["cors.open"];
  const exposed = isOpen
    ? SAMPLE_HEADERS
    : `${SAMPLE_HEADERS}, ETag, Location, ${rules.countHeader}, Retry-After, X-Request-Id, Link`;
  const allowed = isOpen || isTrustedOrigin(origin, sender, rules)
    ? [["Access-Control-Allow-Origin", origin], ["Access-Control-Allow-Credentials", "true"]] as const
    : [["Access-Control-Allow-Origin", "*"]] as const;
  return [...allowed, ["Access-Control-Expose-Headers", exposed]];
}

/** Whether a browser asks for permission to send a request; such a preflight has no credentials. */
export function isPreflight(method: string, headers: Headers): boolean {
  return method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method");
}

/** Answers a preflight for any path: the request itself is checked when it comes. */
export function answerPreflight(sender: Sender, rules: CorsRules): Response {
  const { headers } = sender;
  const response = new Response(null, { status: 204, headers: { Allow: METHODS, Vary: "Origin" } });
  for (const [name, value] of corsHeaders(sender, rules)) response.headers.set(name, value);
  response.headers.set("Access-Control-Allow-Methods", METHODS);
  response.headers.set("Access-Control-Allow-Headers", headers.get("access-control-request-headers") ?? "*");
  response.headers.set("Access-Control-Max-Age", MAX_AGE);
  return response;
}
