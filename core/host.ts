/**
 * The name that a client called the service by. Pure.
 *
 * @module
 */

import { ServiceError } from "./errors.ts";

/** A name or an IPv4 address, or an IPv6 address in brackets, and perhaps a port. */
const HOST = /^(?:[\w.~-]*|\[[\dA-Fa-f:.]+\])(?::\d{0,5})?$/;

/**
 * Whether a `Host` header is one. Servers put it before the request's target without looking at it, so anything else in it
 * could become a part of the path.
 */
export function isHost(header: string | null): boolean {
  return header === null || HOST.test(header);
}

/**
 * The scheme and host that absolute URLs begin with: as the client sees them, not as a proxy calls the service. `url` is
 * the request's, for clients that send no host. Throws 400 for a host that no URL can have: `1.2.3.999`.
 */
export function originOf(
  { url, host, isHttps }: { readonly url: string; readonly host: string | null; readonly isHttps: boolean },
): string {
  const place = host === null || host === "" ? URL.parse(url)?.host : host;
  const origin = URL.parse(`${isHttps ? "https" : "http"}://${place ?? ""}`)?.origin;
  if (origin === undefined) throw wrongHost();
  return origin;
}

/** The refusal of a request whose host is none. */
export function wrongHost(): ServiceError {
  return new ServiceError(
    "bad-request",
    'Cannot use the header "Host": it has to be a name or an address, and perhaps a port, as in example.com:8080',
  );
}
