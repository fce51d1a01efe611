/**
 * The sender of a request, as authentication methods and their routes see it.
 *
 * @module
 */

/** The sender of a request. */
export interface Sender {
  /** The headers of the request, including `Cookie`. */
  readonly headers: Headers;
  /** The address of the client; behind a trusted proxy, the one that the proxy reports. */
  readonly client: AuthClient;
}

/** The client of a request. */
export interface AuthClient {
  /** Its IP address. */
  readonly address: string;
  /** The unit of throttling: an IPv4 address, or an IPv6 network. */
  readonly network: string;
  /** Whether the client uses HTTPS, with this server or with a trusted proxy in front of it. */
  readonly isHttps: boolean;
}
