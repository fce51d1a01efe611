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

/** Answers OPTIONS, whatever the path: a browser's preflight carries no credentials. */
export function answerPreflight(headers: Headers, allow: string): Response {
  const response = new Response(null, { status: 204, headers: { Allow: allow, Vary: "Origin" } });
  const origin = headers.get("origin");
  if (origin === null) return response;
  for (const [name, value] of corsHeaders(origin)) response.headers.set(name, value);
  response.headers.set("Access-Control-Allow-Methods", METHODS);
  response.headers.set("Access-Control-Allow-Headers", headers.get("access-control-request-headers") ?? "*");
  response.headers.set("Access-Control-Max-Age", MAX_AGE);
  return response;
}
