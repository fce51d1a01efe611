/**
 * What authentication methods may use.
 *
 * @module
 */

import type { User } from "@/core/model.ts";
import type { AuthClient, Sender } from "./sender.ts";
import type { RouteRequest } from "./auth_route.ts";
import type { AuthSessions, LoggedOut } from "./auth_session.ts";
import type { Log } from "./plugin.ts";

/**
 * What a method may use. Each method has a host of its own. While `setup` runs only `log`, `now`, `setting`,
 * `complain`, `providerBlocks`, `keepDocument`, `directory` and `prefix` are there: the service does not run yet.
 */
export interface AuthHost {
  /** Where operators read what goes wrong. Nothing secret belongs there. */
  readonly log: Log;
  /** Settings of service.ini that belong to authentication, by their key: `appid_name`. */
  setting(key: "appid_name" | "apikey_name"): string;
  /** Those that are true or false. */
  setting(key: "allow_apikey_in_query_string" | "sso.allow_private_addresses"): boolean;
  /** Seconds. */
  setting(key: "clock_skew"): number;
  /**
   * Tells of a mistake in this method's block that need not stop the start, because the rest of the method works without
   * that part: it is named in the log, and a check of the configuration fails. Only while `setup` runs; `key` is below the
   * block: `identity_providers.acme.client_id`.
   */
  complain(key: string, message: string): void;
  /**
   * The enabled providers of `identity_providers`, in the order of the file, for methods that have such; `keys` are those
   * that a provider may have beside idp_name, enabled and gui. What is wrong is complained of. Only while `setup` runs.
   */
  providerBlocks(configured: unknown, keys: readonly string[]): readonly ProviderBlock[];
  /** Relative file names in the configuration are relative to this directory. */
  readonly directory: string;
  /** The prefix of every path of this service: empty, or the path of `--base-url`. */
  readonly prefix: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** The user with that login as configured at this moment. */
  findUser(login: string): User | undefined;
  /** The user whose API key this is; looked up by its hash. */
  findUserByApiKey(key: string): User | undefined;
  /**
   * The users with exactly this value, or with one that differs only in the case of the letters A to Z; none for an empty
   * one, and never `public`. More than one means that the value does not tell who somebody is.
   */
  findUsersBy(
    attribute: MatchAttribute,
    value: string,
    options?: { readonly ignoreCase?: boolean },
  ): readonly User[];
  /**
   * The user whose login and password these are. It takes the same time for an unknown login, a user without password and
   * a wrong password. It takes long on purpose, and {@link AuthThrottle} is to be asked before.
   */
  checkPassword(login: string, password: string): Promise<User | undefined>;
  /** To be asked before a password is checked, and told of what was wrong. */
  readonly throttle: AuthThrottle;
  /** Opens, finds and ends sessions of browsers. */
  readonly sessions: AuthSessions;
  /**
   * A text as a path of this service that a browser may be sent to, with the prefix; undefined for everything else,
   * whatever tricks it tries: `//other.example`, `/\\other.example`, `https:`, control characters.
   */
  localPath(text: string): string | undefined;
  /** A text that only this method can read, and only for so many seconds: for cookies and addresses of browsers. */
  seal(text: string, seconds: number): string;
  /** What was sealed by this method; undefined for everything else, and when its time is over. */
  unseal(sealed: string): string | undefined;
  /**
   * True the first time that this method gives this name, on whichever worker or node that is, and false afterwards. It is
   * remembered for so many seconds, a day at most. Rejects with what answers with 503 while that cannot be told.
   */
  once(name: string, seconds: number): Promise<boolean>;
  /**
   * Asks another server. It takes a few seconds and a megabyte at most, follows three redirects at most, and refuses private
   * addresses, and HTTP without TLS, unless `sso.allow_private_addresses` is set, wherever a redirect leads. Rejects with
   * an error whose message is for operators.
   */
  fetch(url: string, request?: OutgoingRequest): Promise<Response>;
  /**
   * A document that is read when it is first asked for and kept for a while. While it cannot be read anew the last one is
   * used, six times its age at most; what fails is in the log, and is tried again by itself.
   */
  keepDocument<Content>(options: DocumentOptions<Content>): KeptDocument<Content>;
  /** A cookie of that name that holds something sealed for so many seconds, such as a login that has begun. */
  sealedCookie(name: string, seconds: number): SealedCookie;
  /** Ends the session of a request, and asks the method that opened it where that leads. */
  logOut(request: RouteRequest): Promise<LoggedOut>;
}

/**
 * Slows down whoever guesses. Its methods throw what answers with 429 and `Retry-After`; methods let that pass. `network`
 * is {@link AuthClient.network}.
 */
export interface AuthThrottle {
  /**
   * Before a login form is checked: every attempt counts for the network, failures count for the login in this network,
   * too.
   */
  beginForm(network: string, login: string): Promise<Attempt>;
  /** Before a password that came with a request is checked: failures count for the network, and for the login in it. */
  beginPassword(network: string, login: string): Promise<Attempt>;
  /** After a route has found out that what was sent to it is wrong. Rejected credentials of requests are counted anyway. */
  countFailure(network: string): Promise<void>;
  /**
   * Before a key or a token of a request is looked up: refuses while its network has to wait for wrong ones. It costs
   * nothing while nobody waits.
   */
  requireTurn(client: AuthClient): void;
  /**
   * Counts a message that a browser brings from an identity provider: before anything is kept of it or asked because of it,
   * at the latest when it is refused. Pages of other sites can make browsers bring something, so it is counted apart:
   * nobody with a password or a key has to wait for it.
   */
  countMessage(network: string): Promise<Attempt>;
}

/** An attempt that has been counted. */
export interface Attempt {
  /** Gives back what only failures cost. */
  succeeded(): Promise<void>;
}

/** Attributes of users that single sign-on can find them by. */
export type MatchAttribute = "login" | "name" | "email" | "appid";

/** What {@link AuthHost.fetch} sends. */
export interface OutgoingRequest {
  /** Default: GET. A POST is never redirected, nor is what carries an `authorization`. */
  readonly method?: "GET" | "POST";
  /** Beside those that every request has. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is. */
  readonly body?: string;
  /** Gives the request up. */
  readonly signal?: AbortSignal;
}

/** One enabled provider of a method. */
export interface ProviderBlock {
  /** Its key in `identity_providers`: letters, digits and `: @ _ ~ -`. */
  readonly id: string;
  /** On its button. */
  readonly name: string;
  /** Whether it has a button on the login page. */
  readonly visible: boolean;
  /** Everything else. Once it has refused something the provider has to be left out. */
  readonly block: BlockReader;
}

/**
 * Reads the members of a block of the policy file. What is wrong is complained of, and something harmless is given
 * instead: look at `hasRefused` in the end.
 */
export interface BlockReader {
  /** Whether anything in the provider's block was wrong. */
  readonly hasRefused: boolean;
  /** Complains of a member; undefined: of the block as a whole. */
  refuse(key: string | undefined, message: string): void;
  /** Whether the member is there and not null. */
  has(key: string): boolean;
  /** What stands there, whatever it is. */
  value(key: string): unknown;
  /** A text that is not blank. */
  text(key: string, fallback?: string): string;
  /** The same, where it may be absent. */
  optional(key: string): string | undefined;
  /** True or false. */
  flag(key: string, fallback?: boolean): boolean;
  /** One of some words. */
  choice<Word extends string>(key: string, words: readonly Word[], fallback?: Word): Word;
  /** A block in this one, empty if it is absent; `keys` are those that it may have. */
  block(key: string, keys: readonly string[]): BlockReader;
}

/** A document of a provider. */
export interface DocumentOptions<Content> {
  /** A URL, or a file. */
  readonly source: string;
  /** Whose it is and what: for the log. */
  readonly title: string;
  /** The content type that is asked for. */
  readonly accept: string;
  /** Milliseconds after which it is read again. */
  readonly maxAge: number;
  /** Reads the content. Throws an error whose message says what is wrong with it. */
  parse(text: string): Content;
  /** Aborted when the service ends. */
  readonly signal: AbortSignal;
}

/** A document, or why there is none, for operators. */
export type DocumentRead<Content> = { readonly content: Content } | { readonly complaint: string };

/** A document that is kept and renewed. */
export interface KeptDocument<Content> {
  /** As in {@link DocumentOptions}. */
  readonly source: string;
  /** Whether it could not be read the last time. */
  readonly isFailing: boolean;
  /** The document, which is read now unless one that is recent enough is kept. */
  get(): Promise<DocumentRead<Content>>;
  /**
   * The document as it is now, because something is not in the one that is kept. Everybody together can have that once in
   * a while only; undefined: not now.
   */
  renew(): Promise<DocumentRead<Content> | undefined>;
}

/** `give` and `clear` make values of `Set-Cookie`. */
export interface SealedCookie {
  /** Leaves the text with the browser, in place of what it may have had. */
  give(text: string, sender: Sender): string;
  /** Takes it away. */
  clear(sender: Sender): string;
  /** What this browser was given; undefined for everything else, and when its time is over. */
  read(sender: Sender): string | undefined;
}
