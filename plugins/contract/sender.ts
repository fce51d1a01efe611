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
  /** The other end of the connection: the client itself, or the proxy next to this service. */
  readonly peer: AuthPeer;
}

/** The other end of a connection. */
export interface AuthPeer {
  /** Its IP address; `unknown` if the server does not tell it. */
  readonly address: string;
  /**
   * Whether it is one of `trusted_proxies`. Anybody can send the headers by which a proxy tells what it
   * knows, such as the subject of a client certificate: only those of a trusted proxy may be believed.
   */
  readonly isTrustedProxy: boolean;
}
