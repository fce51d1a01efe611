/**
 * The address of a request: the peer of the connection or, behind a trusted proxy,
 * the address that the proxy reports.
 *
 * @module
 */

import { BlockList, isIP } from "node:net";
import type { AuthPeer, Log } from "@/plugins/contract.ts";

/**
 * The client of one request. Its members are computed on first use, because most requests do not need them.
 */
export interface Client {
  /** Its IP address; `unknown` if the server does not report it. */
  readonly address: string;
  /** The unit of throttling: an IPv4 address, or the /64 network that an IPv6 customer owns. */
  readonly network: string;
  /** True when the browser used HTTPS, directly or up to a trusted proxy. */
  readonly isHttps: boolean;
  /** The other end of the connection. */
  readonly peer: AuthPeer;
}

/** Facts about a connection from the server adapter. */
export interface Connection {
  /** The IP address of the other end; reading it may take time. */
  readonly peer?: string | undefined;
}

/** The configured proxies. */
interface ClientsOptions {
  /** Addresses and networks: `trusted_proxies`. */
  readonly trusted: readonly string[];
  /** The service's scheme and host, if configured: with `https:` every request counts as HTTPS. */
  readonly origin?: string | undefined;
  readonly log: Log;
}

/** Finds the client of a request. */
export type FindClient = (connection: Connection, headers: Headers) => Client;

/** `X-Forwarded-For` and `X-Forwarded-Proto` are used only when a trusted proxy sent them. */
export function createFindClient({ trusted, origin, log }: ClientsOptions): FindClient {
  const proxies = addressList(trusted);
  const isAlwaysHttps = origin?.startsWith("https:") ?? false;
  let hasWarned = trusted.length > 0;
  const warnOnce = () => {
    if (hasWarned) return;
    hasWarned = true;
    log.warn(
      "A request has X-Forwarded-For but trusted_proxies is not set: the header is ignored, and everyone behind the proxy counts as one address",
    );
  };
  return (connection, headers) => new LazyClient(connection, headers, { proxies, isAlwaysHttps, warnOnce });
}

interface Rules {
  readonly proxies: BlockList;
  readonly isAlwaysHttps: boolean;
  /** Notes that a request has `X-Forwarded-For`. */
  warnOnce(): void;
}

const FORWARDED_FOR = "x-forwarded-for";

class LazyClient implements Client {
  readonly #connection: Connection;
  readonly #headers: Headers;
  readonly #rules: Rules;
  #address: string | undefined;

  constructor(connection: Connection, headers: Headers, rules: Rules) {
    this.#connection = connection;
    this.#headers = headers;
    this.#rules = rules;
  }

  get address(): string {
    return this.#address ??= this.#find();
  }

  get network(): string {
    return networkOf(this.address);
  }

  get isHttps(): boolean {
    if (this.#rules.isAlwaysHttps) return true;
    const claimed = this.#headers.get("x-forwarded-proto");
    if (claimed === null || !isListed(this.#peer(), this.#rules.proxies)) return false;
    // The last one is from the trusted proxy; the client may have written those before it.
    return claimed.slice(claimed.lastIndexOf(",") + 1).trim().toLowerCase() === "https";
  }

  get peer(): AuthPeer {
    const address = this.#peer();
    return { address, isTrustedProxy: isListed(address, this.#rules.proxies) };
  }

  #peer(): string {
    return normalize(this.#connection.peer ?? "") ?? "unknown";
  }

  #find(): string {
    const peer = this.#peer();
    // `has` makes a server read all headers.
    const forwarded = this.#headers.get(FORWARDED_FOR);
    if (forwarded === null) return peer;
    this.#rules.warnOnce();
    return rightmostUntrusted(forwarded, peer, this.#rules.proxies);
  }
}

/**
 * Each proxy appends the address it received the request from, so the list is reliable from its right end
 * as far as the proxies are trusted.
 */
function rightmostUntrusted(forwarded: string, peer: string, proxies: BlockList): string {
  let client = peer;
  for (const entry of forwarded.split(",").reverse()) {
    if (!isListed(client, proxies)) return client;
    const address = normalize(entry.trim());
    if (address === undefined) return client;
    client = address;
  }
  return client;
}

/** Whether an IP address is in a list; false for other text. */
export function isListed(address: string, list: BlockList): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 4 ? "ipv4" : "ipv6");
}

/** Addresses, and networks such as `10.0.0.0/8`. */
export function addressList(items: readonly string[]): BlockList {
  const list = new BlockList();
  for (const item of items) {
    const [written = "", prefix] = item.split("/");
    const family = isIP(written) === 4 ? "ipv4" : "ipv6";
    if (prefix === undefined) list.addAddress(written, family);
    else list.addSubnet(written, Number(prefix), family);
  }
  return list;
}

/** Normalised addresses by their text: most requests come from few addresses. */
const normalized = new Map<string, string | undefined>();
const MOST_NORMALIZED = 1000;

/**
 * An address in the form for comparison: without port, brackets or zone, and IPv4 in IPv6 as
 * IPv4. Undefined for anything else.
 */
function normalize(written: string): string | undefined {
  if (normalized.size > MOST_NORMALIZED) normalized.clear();
  return normalized.getOrInsertComputed(written, normalizeAnew);
}

function normalizeAnew(written: string): string | undefined {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(written)?.[1] ?? /^([\d.]+):\d+$/.exec(written)?.[1] ?? written;
  const address = bare.replace(/%.*$/s, "");
  const version = isIP(address);
  if (version === 0) return undefined;
  if (version === 4) return address;
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped ? dotted(groups) : groups.map((group) => group.toString(16)).join(":");
}

function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  return `${groupsOf(address).slice(0, 4).map((group) => group.toString(16)).join(":")}::/64`;
}

/** The networks that one customer may own: the /48 of an IPv6 network, or the IPv4 address itself. */
export function customerOf(network: string): string {
  return network.replace(/:[^:]*::\/64$/, "::/48");
}

/** The eight numbers of a valid IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const hexadecimal = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [left = "", right] = hexadecimal.split("::");
  const numbers = (text: string) => text === "" ? [] : text.split(":").map((group) => parseInt(group, 16));
  const [head, tail] = [numbers(left), numbers(right ?? "")];
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function dotted(groups: readonly number[]): string {
  return groups.slice(6).flatMap((group) => [group >> 8, group & 0xff]).join(".");
}
