/**
 * Checks the `Host` header. Servers put it in front of a request's path to make a URL, unchecked: a slash in
 * it would change the path, and an invalid host gives no URL.
 *
 * @module
 */

import { badRequest, type ServiceError } from "@/core/errors.ts";

/** A name, an IPv4 address or an IPv6 address in brackets, with an optional port. */
const HOST = /^(?:[\w.~-]+|\[[\dA-Fa-f:.]+\])(?::\d{0,5})?$/;

/** Returns the refusal of an invalid host; undefined if it is valid. */
type CheckHost = (headers: Headers) => ServiceError | undefined;

/**
 * HTTP 1.0 does not require a host, and it may be empty. The last valid host is remembered, because
 * most requests have the same one.
 */
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

/** Most requests have the same host, and parsing it takes 2 µs. */
let last = { root: "", origin: "" };

/**
 * The scheme and host of absolute URLs, as the client sees them, even behind a proxy. `url` is the request's,
 * for clients that send no host. Throws 400 for a host that cannot be part of a URL.
 */
export function originOf(
  { url, host, isHttps }: { readonly url: string; readonly host: string | null; readonly isHttps: boolean },
): string {
  const place = host === null || host === "" ? URL.parse(url)?.host : host;
  const root = `${isHttps ? "https" : "http"}://${place ?? ""}`;
  if (root === last.root) return last.origin;
  const origin = URL.parse(root)?.origin;
  if (origin === undefined) throw wrongHost();
  last = { root, origin };
  return origin;
}

function wrongHost(): ServiceError {
  return badRequest(
    'Cannot use the header "Host": it has to be a name or an address, and perhaps a port, as in example.com:8080',
  );
}
