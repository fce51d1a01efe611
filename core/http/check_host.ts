/**
 * The name that a client called the service by. Servers put it in front of a request's path to make a URL without looking
 * at it, so one with a slash in it would change the path, and one that is no host has no URL.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";

/** A name or an IPv4 address, or an IPv6 address in brackets, and perhaps a port. */
const HOST = /^(?:[\w.~-]+|\[[\dA-Fa-f:.]+\])(?::\d{0,5})?$/;

/** Tells what is wrong with a request's host; undefined for nothing. */
export type CheckHost = (headers: Headers) => ServiceError | undefined;

/** Requests of HTTP 1.0 need no host, and it may be empty. Most have the same one as the request before. */
export function createHostCheck(): CheckHost {
  let known = "";
  return (headers) => {
    const host = headers.get("host") ?? "";
    if (host === "" || host === known) return undefined;
    if (!HOST.test(host) || !URL.canParse(`http://${host}/`)) return wrongHost();
    known = host;
    return undefined;
  };
}

/**
 * The scheme and host that absolute URLs begin with: as the client sees them, not as a proxy calls the service. `url` is
 * the request's, for clients that send no host. Throws 400 for a host that no URL can have.
 */
export function originOf(
  { url, host, isHttps }: { readonly url: string; readonly host: string | null; readonly isHttps: boolean },
): string {
  const place = host === null || host === "" ? URL.parse(url)?.host : host;
  const origin = URL.parse(`${isHttps ? "https" : "http"}://${place ?? ""}`)?.origin;
  if (origin === undefined) throw wrongHost();
  return origin;
}

function wrongHost(): ServiceError {
  return new ServiceError(
    "bad-request",
    'Cannot use the header "Host": it has to be a name or an address, and perhaps a port, as in example.com:8080',
  );
}
