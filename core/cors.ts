/**
 * Cross-origin answers as in the specification's sample: the origin is copied from the request, credentials are allowed.
 *
 * @module
 */

const METHODS = "HEAD, OPTIONS, GET, POST, PUT, DELETE";
/** Seconds that a browser may remember a preflight's answer. */
const MAX_AGE = "180";

/** Headers of every answer to a request with an `Origin`. */
export function corsHeaders(origin: string): readonly (readonly [string, string])[] {
  return [
    ["Access-Control-Allow-Origin", origin],
    ["Access-Control-Allow-Credentials", "true"],
    ["Access-Control-Expose-Headers", "Set-Cookie, Warning"],
  ];
}

/** A browser that asks whether it may send a request; it sends no credentials with the question. */
export function isPreflight(method: string, headers: Headers): boolean {
  return method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method");
}

/** Answers a preflight, whatever the path: what the request itself may do is decided when it comes. */
export function answerPreflight(headers: Headers): Response {
  const response = new Response(null, { status: 204, headers: { Allow: METHODS, Vary: "Origin" } });
  for (const [name, value] of corsHeaders(headers.get("origin") ?? "")) response.headers.set(name, value);
  response.headers.set("Access-Control-Allow-Methods", METHODS);
  response.headers.set("Access-Control-Allow-Headers", headers.get("access-control-request-headers") ?? "*");
  response.headers.set("Access-Control-Max-Age", MAX_AGE);
  return response;
}
