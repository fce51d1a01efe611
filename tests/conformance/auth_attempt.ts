/**
 * Requests with credentials, as the author of an authentication method describes them for its tests.
 *
 * @module
 */

import type { AuthClient, AuthMethod, AuthPeer, AuthRequest, RouteRequest } from "@/plugins/contract.ts";

/** A route that gets an attempt: its path, and the query of its address. */
export interface AttemptedRoute {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** A request as an author describes it. */
export interface Attempt {
  /** The subject: `a key in the header`. */
  readonly name: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Values of the query parameters that the method names. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Default: `GET`. */
  readonly method?: string;
  /**
   * A path with its query: those parameters that the method names become {@link credentials}, as in the core.
   */
  readonly url?: string;
  /** The body, for a method that asks for its digest. Default: none. */
  readonly body?: string;
  /** The address of the client. Default: one of a documentation network. */
  readonly address?: string;
  /** Whether the client uses HTTPS. Default: false. */
  readonly isHttps?: boolean;
  /** The other end of the connection. Default: the client itself. */
  readonly peer?: Partial<AuthPeer>;
  /** Sent to a route of the method instead: fields of the body. */
  readonly route?: AttemptedRoute;
  readonly fields?: Readonly<Record<string, string>>;
  /** Texts of this request that neither logs nor answers may contain. */
  readonly secrets: readonly string[];
  /**
   * Makes parts anew for each use: a method that accepts a request only once needs another nonce each time.
   */
  renew?(): Renewed | Promise<Renewed>;
}

/** The parts of an attempt that are made anew. */
export type Renewed = Partial<Omit<Attempt, "name" | "renew">>;

/** The part of a method that decides which query parameters it gets. */
type Reader = Pick<AuthMethod, "queryParameters">;

/** The attempt with the parts that are made anew. */
export async function renewed<Kind extends Attempt>(attempt: Kind): Promise<Kind> {
  return { ...attempt, ...await attempt.renew?.() };
}

/** The request of an attempt, with the parts that are made anew. */
export async function freshRequest(attempt: Attempt, reader: Reader): Promise<AuthRequest> {
  return requestOf(await renewed(attempt), reader);
}

/** The request that an attempt describes. */
export function requestOf(attempt: Partial<Attempt>, { queryParameters = [] }: Reader = {}): AuthRequest {
  const { method = "GET", url = "/", headers, credentials, body = "" } = attempt;
  const { searchParams } = new URL(url, "http://service.example");
  const named = [...searchParams].filter(([name]) => queryParameters.includes(name));
  return {
    method,
    target: url,
    headers: new Headers({ Accept: "application/json", ...headers }),
    credentials: new Map([...named, ...Object.entries(credentials ?? {})]),
    client: clientOf(attempt),
    digest: async (algorithm) =>
      new Uint8Array(await crypto.subtle.digest(algorithm, new TextEncoder().encode(body))),
  };
}

/** The request to a route that an attempt describes. */
export function routeRequestOf(attempt: Partial<Attempt>): RouteRequest {
  const { headers, fields, route } = attempt;
  const query = new URLSearchParams(route?.query);
  return {
    requestId: "request-1",
    method: route?.method ?? "GET",
    headers: new Headers({ Accept: "application/json", ...headers }),
    client: clientOf(attempt),
    parameters: new Map(Object.entries(route?.parameters ?? {})),
    query,
    search: String(query),
    wantsPage: false,
    baseUrl: "http://service.example",
    fields: () => Promise.resolve(new Map(Object.entries(fields ?? {}))),
  };
}

/** The client that an attempt describes. */
export function clientOf(
  { address = "192.0.2.7", isHttps = false, peer }: Pick<Attempt, "address" | "isHttps" | "peer"> = {},
): AuthClient {
  return { address, network: address, isHttps, peer: { address, isTrustedProxy: false, ...peer } };
}

/** Headers cannot hold line breaks, NUL or anything beyond Latin-1. */
export function headerSafe(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const clean = (text: string) => text.replace(/[\0\r\n]|[^\0-\xff]/g, "");
  return Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, clean(text)]));
}
