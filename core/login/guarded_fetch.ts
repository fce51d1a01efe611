/**
 * Requests of this service to other servers, such as identity providers: limited in time and
 * size, and only to permitted addresses. The connection uses the address that was checked,
 * whatever the name resolves to later.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { lookup as resolve, type LookupAddress } from "node:dns";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { type BlockList, isIP } from "node:net";
import { quote } from "@/core/errors.ts";
import { addressList, isListed } from "@/core/identity/client_address.ts";
import type { AuthHost, OutgoingRequest } from "@/plugins/contract.ts";

/** The limits of outgoing requests. */
interface OutgoingRules {
  /** `sso.allow_private_addresses`: private addresses, and HTTP without TLS. */
  readonly allowPrivate: boolean;
  /** Which addresses are private. Default: {@link isPrivateAddress}. */
  isPrivate?(address: string): boolean;
  /** Milliseconds for the whole request. Default: 10,000. */
  readonly timeout?: number;
}

/**
 * Networks that are private, local, reserved or unassigned: a server on the internet must not be able to make
 * the service send requests there. A common list would also compare IPv4 addresses with IPv6 networks.
 */
const PRIVATE_IPV4 = networks(
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 " +
    "192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 " +
    "224.0.0.0/3",
);
/**
 * Networks that embed an IPv4 address count as private in any case: public servers are not addressed by them.
 */
const PRIVATE_IPV6 = networks(
  "::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 " +
    "2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8",
);

const TIMEOUT = 10_000;
const LARGEST = 1_048_576;
const MOST_REDIRECTS = 3;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** Statuses of answers without a body. */
const EMPTY: readonly number[] = [204, 205, 304];

/** Redirects are followed if the rules permit their target; the answer to a POST is returned unchanged. */
export function createOutgoing(rules: OutgoingRules): AuthHost["fetch"] {
  return async (url, request = {}) => {
    const controller = new AbortController();
    const giveUp = () => controller.abort(new Error("It takes too long"));
    const timer = setTimeout(giveUp, rules.timeout ?? TIMEOUT);
    const signals = [controller.signal, ...(request.signal ? [request.signal] : [])];
    try {
      return await follow(url, { ...request, signal: AbortSignal.any(signals) }, rules);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Whether an IP address is private; text that is not an address counts as private. */
export function isPrivateAddress(written: string): boolean {
  // The list does not know zones, such as %eth0.
  const address = written.replace(/%.*$/s, "");
  return isIP(address) === 0 || isListed(address, isIP(address) === 4 ? PRIVATE_IPV4 : PRIVATE_IPV6);
}

function networks(written: string): BlockList {
  return addressList(written.split(" "));
}

async function follow(url: string, request: OutgoingRequest, rules: OutgoingRules): Promise<Response> {
  let target = targetOf(url, rules);
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const answer = await send(target, request, rules);
    const location = REDIRECTS.includes(answer.status) ? answer.headers.get("location") : null;
    if (location === null || !mayFollow(request)) return answer;
    target = targetOf(URL.parse(location, target)?.href ?? location, rules);
  }
  throw new Error(`It redirects more than ${MOST_REDIRECTS} times`);
}

/** Credentials must not be sent to another server. */
function mayFollow({ method, headers = {} }: OutgoingRequest): boolean {
  return method !== "POST" && !Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}

function targetOf(url: string, rules: OutgoingRules): URL {
  const target = URL.parse(url);
  if (!target || !["https:", "http:"].includes(target.protocol)) {
    throw new Error(`${quote(url)} is no URL of HTTPS`);
  }
  if (target.protocol === "http:" && !rules.allowPrivate) {
    throw new Error(
      `${quote(target.origin)} is not asked without TLS unless sso.allow_private_addresses is set`,
    );
  }
  const host = hostOf(target);
  if (isIP(host) !== 0) requireAllowed(host, [host], rules);
  return target;
}

/** The host name without the brackets of IPv6. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function requireAllowed(host: string, addresses: readonly string[], rules: OutgoingRules): void {
  const { allowPrivate, isPrivate = isPrivateAddress } = rules;
  if (allowPrivate || !addresses.some((address) => isPrivate(address))) return;
  throw new Error(
    `${quote(host)} has a private address: it is asked only if sso.allow_private_addresses is set`,
  );
}

async function send(target: URL, request: OutgoingRequest, rules: OutgoingRules): Promise<Response> {
  const { method = "GET", headers = {}, body, signal } = request;
  const { promise, resolve: answered, reject } = Promise.withResolvers<IncomingMessage>();
  signal?.throwIfAborted();
  const ask = target.protocol === "https:" ? requestHttps : requestHttp;
  const sent = ask({
    hostname: hostOf(target),
    port: target.port,
    path: target.pathname + target.search,
    method,
    headers: {
      // Some firewalls refuse requests without it.
      "user-agent": "Rowhouse",
      ...headers,
      "accept-encoding": "identity",
      ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
    },
    agent: false,
    lookup: lookupFor(rules),
  }, answered);
  const abort = () => sent.destroy(asError(signal?.reason));
  signal?.addEventListener("abort", abort, { once: true });
  sent.on("error", reject);
  sent.end(body);
  try {
    return await read(await promise);
  } catch (error) {
    throw signal?.aborted ? asError(signal.reason) : error;
  } finally {
    signal?.removeEventListener("abort", abort);
    sent.destroy();
  }
}

type Found = (error: Error | null, addresses: LookupAddress[] | string, family?: number) => void;
type Options = { readonly all?: boolean | undefined };

/** Resolves a name, and refuses it if one of its addresses is not permitted. */
function lookupFor(rules: OutgoingRules) {
  return (host: string, options: Options, found: Found): void => {
    resolve(host, { all: true }, (error, addresses) => {
      if (error) return found(error, []);
      try {
        requireAllowed(host, addresses.map(({ address }) => address), rules);
      } catch (refusal) {
        return found(asError(refusal), []);
      }
      const [first] = addresses;
      if (options.all === true || !first) found(null, addresses);
      else found(null, first.address, first.family);
    });
  };
}

async function read(message: IncomingMessage): Promise<Response> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of message) {
    const bytes: Uint8Array = piece;
    size += bytes.length;
    if (size > LARGEST) throw new Error(`The answer has more than ${LARGEST} bytes`);
    pieces.push(bytes);
  }
  const status = message.statusCode ?? 0;
  const headers = Object.entries(message.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value])
  );
  return new Response(EMPTY.includes(status) ? null : Buffer.concat(pieces), { status, headers });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
