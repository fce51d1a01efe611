/**
 * Services for authentication methods.
 *
 * @module
 */

import type { RouteRequest } from "./auth_route.ts";
import type { AuthSessions, LoggedOut } from "./auth_session.ts";
import type { User } from "./auth_user.ts";
import type { Log } from "./plugin.ts";
import type { AuthClient, Sender } from "./sender.ts";

/**
 * Services for one method; each method has its own host. During `setup` only `log`, `now`, `setting`,
 * `complain`, `keepDocument`, `directory` and `prefix` work, because the service does not run yet.
 */
export interface AuthHost {
  /** A log for operators. It must not contain secrets. */
  readonly log: Log;
  /** Settings of service.ini that belong to authentication, by their key: `appid_name`. */
  setting(key: "appid_name" | "apikey_name"): string;
  /** Boolean settings. */
  setting(key: "allow_apikey_in_query_string" | "sso.allow_private_addresses"): boolean;
  /** A setting in seconds. */
  setting(key: "clock_skew"): number;
  /**
   * Reports a mistake in this method's block that need not stop the start, because the method works without
   * that part. The log names it, and a check of the configuration fails. Only during `setup`; `key` is
   * relative to the block: `identity_providers.acme.client_id`.
   */
  complain(key: string, message: string): void;
  /** The base of relative file names in the configuration. */
  readonly directory: string;
  /** The prefix of every path of this service: empty, or the path of `--base-url`. */
  readonly prefix: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** The user with that login as configured at this moment. */
  findUser(login: string): User | undefined;
  /** The user with this API key; looked up by its hash. */
  findUserByApiKey(key: string): User | undefined;
  /**
   * The users with exactly this value, or with one that differs only in the case of the letters A to Z; none
   * for an empty value, and never `public`. Several users: the value does not identify anybody.
   */
  findUsersBy(
    attribute: MatchAttribute,
    value: string,
    options?: { readonly ignoreCase?: boolean },
  ): readonly User[];
  /**
   * The user with this login and password, by the service's own hash or, without one, by the methods with
   * `checkPassword`. An unknown login, a user without password and a wrong password take the same time. The
   * check is slow on purpose; ask {@link AuthThrottle} first. Rejects with an error that the core answers
   * with 503 while the password cannot be checked; that is no failed attempt.
   */
  checkPassword(login: string, password: string): Promise<User | undefined>;
  /** Limits guessing: call it before a password is checked, and after it was wrong. */
  readonly throttle: AuthThrottle;
  /** Opens, finds and ends sessions of browsers. */
  readonly sessions: AuthSessions;
  /**
   * Reads a text as a path of this service that a browser may be sent to, with the prefix. Undefined for
   * everything else, including tricks: `//other.example`, `/\\other.example`, `https:`, control characters.
   */
  localPath(text: string): string | undefined;
  /**
   * Encrypts a text so that only this method can read it, for the given seconds: for
   * cookies and addresses of browsers.
   */
  seal(text: string, seconds: number): string;
  /** Decrypts a text that this method sealed; undefined when it is not one or has expired. */
  unseal(sealed: string): string | undefined;
  /**
   * True the first time that this method uses this name, across all workers and nodes, and false afterwards.
   * The name is remembered for the given seconds, one day at most. While the names are unavailable it rejects
   * with an error that the core answers with 503.
   */
  once(name: string, seconds: number): Promise<boolean>;
  /**
   * Sends a request to another server. It takes a few seconds and a megabyte at most and follows three
   * redirects at most. Private addresses and HTTP without TLS are refused, also in redirects, unless
   * `sso.allow_private_addresses` is set. The message of a rejection is for operators.
   */
  fetch(url: string, request?: OutgoingRequest): Promise<Response>;
  /**
   * A document that is read on first use and cached. While it cannot be read again the last one is used, up
   * to six times its maximum age; failures are logged and retried automatically.
   */
  keepDocument<Content>(options: DocumentOptions<Content>): KeptDocument<Content>;
  /**
   * A cookie of this name with sealed content that expires after the given
   * seconds, such as a login that has begun.
   */
  sealedCookie(name: string, seconds: number): SealedCookie;
  /** Ends the session of a request. The method that opened it decides where the browser goes next. */
  logOut(request: RouteRequest): Promise<LoggedOut>;
}

/**
 * Slows down guessing. Its methods throw errors that the core answers with 429 and `Retry-After`; methods
 * must not catch them. `network` is {@link AuthClient.network}.
 */
export interface AuthThrottle {
  /**
   * Call before a login form is checked: every attempt counts for the network, and a
   * failure also for the login in it.
   */
  beginForm(network: string, login: string): Promise<Attempt>;
  /**
   * Call before a password that came with a request, or credentials that came to a route, are
   * checked: a failure counts for the network and for the login in it. Credentials that
   * `authenticate` rejects are counted without it.
   */
  beginPassword(network: string, login: string): Promise<Attempt>;
  /**
   * Call before a key or a token of a request is looked up: refuses while its network has to wait because of
   * wrong ones. Free of cost while no network waits.
   */
  requireTurn(client: AuthClient): void;
  /**
   * Counts a message that a browser brings from an identity provider. Call before anything of it is stored or
   * looked up, at the latest when it is refused. Pages of other sites can make browsers bring such messages,
   * so they have a count of their own: logins by password or key do not have to wait for them.
   */
  countMessage(network: string): Promise<Attempt>;
}

/** An attempt that has been counted. */
export interface Attempt {
  /** Gives back the tokens that only a failure costs. */
  succeeded(): Promise<void>;
}

/** Attributes of users that single sign-on can match. */
export type MatchAttribute = "login" | "name" | "email" | "appid";

/** A request for {@link AuthHost.fetch}. */
export interface OutgoingRequest {
  /** Default: GET. A POST is never redirected, nor is a request with `authorization`. */
  readonly method?: "GET" | "POST";
  /** Headers beside the common ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent unchanged. */
  readonly body?: string;
  /** Cancels the request. */
  readonly signal?: AbortSignal;
}

/** A document of a provider. */
export interface DocumentOptions<Content> {
  /** A URL, or the path of a file. */
  readonly source: string;
  /** The provider and the kind of document, for the log. */
  readonly title: string;
  /** The content type for `Accept`. */
  readonly accept: string;
  /** Milliseconds until it is read again. */
  readonly maxAge: number;
  /** Reads the content. The message of its error says what is wrong with the document. */
  parse(text: string): Content;
  /** Aborted when the service ends. */
  readonly signal: AbortSignal;
}

/** A document, or the reason for its absence, for operators. */
export type DocumentRead<Content> = { readonly content: Content } | { readonly complaint: string };

/** A document that is cached and renewed. */
export interface KeptDocument<Content> {
  /** See {@link DocumentOptions.source}. */
  readonly source: string;
  /** Whether the last attempt to read it failed. */
  readonly isFailing: boolean;
  /** The cached document if it is recent enough, else reads it. */
  get(): Promise<DocumentRead<Content>>;
  /**
   * Reads the document now, because the cached one lacks something. All callers together may do so only once
   * in a while; undefined: not now. A caller that comes while it is read gets the result, too; so does one
   * whose content, `used`, is older than the cached one.
   */
  renew(used?: Content): Promise<DocumentRead<Content> | undefined>;
}

/** A cookie with sealed content. `give` and `clear` return values of `Set-Cookie`. */
export interface SealedCookie {
  /** Stores the text in the browser; it replaces an earlier one. */
  give(text: string, sender: Sender): string;
  /** Removes the cookie. */
  clear(sender: Sender): string;
  /** The text that the browser was given; undefined for everything else, and after it has expired. */
  read(sender: Sender): string | undefined;
}
