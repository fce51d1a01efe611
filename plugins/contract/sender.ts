/**
 * The sender of a request, as authentication methods and their routes see it.
 *
 * @module
 */

/** What every request tells of its sender. */
export interface Sender {
  /** Those of the request, `Cookie` among them. */
  readonly headers: Headers;
  /** Where it comes from; behind a trusted proxy, what that proxy says. */
  readonly client: AuthClient;
}

/** The sender of a request. */
export interface AuthClient {
  /** Its IP address. */
  readonly address: string;
  /** What is throttled as one: an IPv4 address, or an IPv6 network. */
  readonly network: string;
  /** Whether the client speaks HTTPS, with this server or with a trusted proxy in front of it. */
  readonly isHttps: boolean;
}
