/**
 * The whole contract between Rowhouse and its plugins: formats (`contract/format.ts`, `contract/page.ts`), authentication
 * methods (below) and database dialects (`contract/dialect.ts`, `contract/sql_traits.ts`). Everything is imported from here.
 * Built-in plugins use nothing else. A plugin is a folder with a `mod.ts` whose default export is one of
 * {@link FormatPlugin}, {@link AuthPlugin} or {@link DialectPlugin}; its `name` equals the folder's.
 *
 * A plugin needs this file for its types only (`import type`), so one file anywhere on disk is enough.
 *
 * @module
 */

import type { Json, User } from "@/core/model.ts";
import type { DialectPlugin } from "./contract/dialect.ts";
import type { FormatPlugin } from "./contract/format.ts";
import type { Button, Form, FormPage } from "./contract/page.ts";
import type { Log, Plugin } from "./contract/plugin.ts";

export type {
  Catalog,
  Cell,
  Column,
  DatabaseDefinition,
  Document,
  DocumentColumn,
  DocumentShape,
  ForeignKey,
  Json,
  JsonObject,
  PoolSettings,
  Problem,
  Row,
  TableDescription,
  User,
  Value,
  ValueType,
} from "@/core/model.ts";
export type * from "./contract/dialect.ts";
export type * from "./contract/format.ts";
export type * from "./contract/page.ts";
export type { Log, Section } from "./contract/plugin.ts";
export type * from "./contract/sql_traits.ts";
export { CONTRACT } from "./contract/plugin.ts";

/** An authentication method, as its folder exports it. */
export type AuthPlugin = Plugin<"auth", AuthMethod, AuthHost> & {
  /** Keys that its block in auth.cfg may have beside enabled, priority and gui; absent: any. */
  readonly keys?: readonly string[];
};

/** A plugin of any kind. */
export type AnyPlugin = FormatPlugin | AuthPlugin | DialectPlugin;

// ── Authentication ─────────────────────────────────────────────────────────

/**
 * What a method may use. Each method has a host of its own. While `setup` runs only `log`, `now`, `setting`,
 * `complain`, `providerBlocks`, `keepDocument`, `directory` and `prefix` are there: the service does not run yet.
 */
export interface AuthHost {
  readonly log: Log;
  /** Settings of service.ini that belong to authentication, by their key: `appid_name`. */
  setting(key: "appid_name" | "apikey_name"): string;
  setting(key: "allow_apikey_in_query_string" | "sso.allow_private_addresses"): boolean;
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
   * The users with exactly this value; none for an empty one, and never `public`. More than one means that the value does
   * not tell who somebody is.
   */
  findUsersBy(attribute: MatchAttribute, value: string): readonly User[];
  /**
   * The user whose login and password these are. It takes the same time for an unknown login, a user without password and
   * a wrong password. It takes long on purpose, and {@link AuthThrottle} is to be asked before.
   */
  checkPassword(login: string, password: string): Promise<User | undefined>;
  readonly throttle: AuthThrottle;
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

/** One enabled provider of a method. */
export interface ProviderBlock {
  readonly id: string;
  /** On its button. */
  readonly name: string;
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
  has(key: string): boolean;
  /** What stands there, whatever it is. */
  value(key: string): unknown;
  /** A text that is not blank. */
  text(key: string, fallback?: string): string;
  optional(key: string): string | undefined;
  flag(key: string, fallback?: boolean): boolean;
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
  readonly source: string;
  /** Whether it could not be read the last time. */
  readonly isFailing: boolean;
  get(): Promise<DocumentRead<Content>>;
  /**
   * The document as it is now, because something is not in the one that is kept. Everybody together can have that once in
   * a while only; undefined: not now.
   */
  renew(): Promise<DocumentRead<Content> | undefined>;
}

/** `give` and `clear` make values of `Set-Cookie`. */
export interface SealedCookie {
  give(text: string, sender: Sender): string;
  clear(sender: Sender): string;
  /** What this browser was given; undefined for everything else, and when its time is over. */
  read(sender: Sender): string | undefined;
}

/** A session has been ended. */
export interface LoggedOut {
  /** The session that there was. */
  readonly session?: AuthSession;
  /** Values of `Set-Cookie` for the answer. */
  readonly cookies: readonly string[];
  /** Where the method that opened the session wants the browser to go on. */
  readonly onward?: Onward;
}

/** Attributes of users that single sign-on can find them by. */
export type MatchAttribute = "login" | "name" | "email" | "appid";

/** What {@link AuthHost.fetch} sends. */
export interface OutgoingRequest {
  /** Default: GET. A POST is never redirected. */
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/**
 * Slows down whoever guesses. Its methods throw what answers with 429 and `Retry-After`; methods let that pass. `network`
 * is {@link AuthClient.network}.
 */
export interface AuthThrottle {
  /** Before a login form is checked: every attempt counts for the network, failures count for the login, too. */
  beginForm(network: string, login: string): Promise<Attempt>;
  /** Before a password that came with a request is checked: failures count for the network and for the login. */
  beginPassword(network: string, login: string): Promise<Attempt>;
  /** After a route has found out that what was sent to it is wrong. Rejected credentials of requests are counted anyway. */
  countFailure(network: string): Promise<void>;
}

/** An attempt that has been counted. */
export interface Attempt {
  /** Gives back what only failures cost. */
  succeeded(): Promise<void>;
}

/**
 * Sessions of browsers, which their cookie stands for. Its methods throw what answers with 503 while the sessions cannot
 * be reached; methods let that pass.
 */
export interface AuthSessions {
  /**
   * Opens a new session for a user; the one that the request may have ends. Gives the values of `Set-Cookie` that the
   * answer must have. `details` are kept with the session, 1,500 bytes of JSON at most.
   */
  open(user: User, request: Sender, details?: SessionDetails): Promise<readonly string[]>;
  /** The session of a request's cookie, and what becomes of the cookie. */
  resume(request: Sender): Promise<ResumedSession>;
  /** Ends the session of a request, if there is one. Gives the values of `Set-Cookie` that clear its cookie. */
  close(request: Sender): Promise<readonly string[]>;
}

/** What a request's cookie led to. */
export interface ResumedSession {
  /** Absent: there is no such session, or it is over. */
  readonly session?: AuthSession;
  /** Values of `Set-Cookie` for the answer: a new cookie, or one that clears a cookie that is good for nothing. */
  readonly cookies: readonly string[];
}

/** What the method that opened a session needs to know of it later: a provider's name for the user. */
export type SessionDetails = Readonly<Record<string, Json>>;

export interface AuthSession {
  /** Names the session in logs; whoever sees it cannot use it. */
  readonly id: string;
  readonly user: User;
  /** The method that opened it. */
  readonly method: string;
  /** What that method keeps with it. */
  readonly details?: SessionDetails;
  /** What forms of this session carry, so that no other site can send them. */
  readonly csrfToken: string;
}

/** What every request tells of its sender. */
export interface Sender {
  readonly headers: Headers;
  /** Where it comes from; behind a trusted proxy, what that proxy says. */
  readonly client: AuthClient;
}

/** The part of a request that authentication may look at. */
export interface AuthRequest extends Sender {
  readonly method: string;
  /** Values of the query parameters named in {@link AuthMethod.queryParameters}. */
  readonly credentials: ReadonlyMap<string, string>;
}

/** The sender of a request. */
export interface AuthClient {
  /** Its IP address. */
  readonly address: string;
  /** What is throttled as one: an IPv4 address, or an IPv6 network. */
  readonly network: string;
  readonly isHttps: boolean;
}

/**
 * `absent`: this method's credentials are not in the request, the next method is asked. `rejected`: they are and are
 * wrong; the request is refused and never becomes `public`. The reason is for the log only, unless `tell` is set. A
 * rejection counts as a failed attempt of its sender, who has to wait after too many, unless it tells something or
 * the method has `counted` the attempt itself. `cookies` are values of `Set-Cookie` for the answer, whatever becomes of
 * the request later.
 */
export type AuthResult =
  | { readonly outcome: "absent"; readonly cookies?: readonly string[] }
  | {
    readonly outcome: "accepted";
    readonly user: User;
    /** The session of the request's cookie: what the request changes must come from a page of this service. */
    readonly session?: AuthSession;
    readonly cookies?: readonly string[];
  }
  | {
    readonly outcome: "rejected";
    readonly reason: string;
    /** Who the sender claims to be, for the audit log. */
    readonly login?: string;
    readonly tell?: string;
    readonly counted?: true;
  };

export interface AuthMethod {
  authenticate(request: AuthRequest): AuthResult | Promise<AuthResult>;
  /** Names of query parameters that carry this method's credentials; they are accepted on every URL. */
  readonly queryParameters?: readonly string[];
  /** What clients need to know to use this method, shown in `/settings`: names of headers, never a secret. */
  readonly clientSettings?: Readonly<Record<string, Json>>;
  /** How its credentials are sent, as security scheme objects of OpenAPI by name; never a secret. */
  readonly securitySchemes?: Readonly<Record<string, Json>>;
  /** Names of {@link securitySchemes} that are enough together. Absent: each scheme is enough by itself. */
  readonly securityRequirements?: readonly (readonly string[])[];
  /** True when valid credentials on a request for a page open a session. Default false. */
  readonly opensSession?: boolean;
  /** Paths of this service that the method answers itself, for everybody: they need no credentials. */
  readonly routes?: readonly AuthRoute[];
  /** Buttons on the login page, while the policy file shows this method there; asked for each page. */
  buttons?(page: LoginPage): readonly Button[];
  /** The form on the login page, while the policy file shows this method there. One method may have one. */
  form?(page: LoginPage): Form;
  /** Sentences on the login page, while the policy file shows this method there: what does not work at the moment. */
  notices?(): readonly string[];
  /**
   * A session that this method opened has been ended by its browser, which can be led on: to the provider, to end the login
   * there. Undefined: it need not go anywhere.
   */
  afterLogout?(session: AuthSession, request: RouteRequest): Promise<Onward | undefined>;
  /** Called once when the service begins to work. What it gives is disposed of when the service ends. */
  start?(): AsyncDisposable;
}

/** What the login page is shown for. */
export interface LoginPage {
  /** Where the user is sent after the login: a path of this service. */
  readonly next: string;
}

/** One method of one path. A path may have several. */
export interface AuthRoute {
  readonly method: "GET" | "POST";
  /** Below the prefix, with names in braces for one segment each: `/sso/callback/saml/{idp_id}`. GET answers HEAD, too. */
  readonly path: string;
  /**
   * Who may send a browser here. `same-site`: requests that another site makes a browser send are refused with 403.
   * `any-site`: it changes nothing, or checks that by itself. Default: `any-site` for GET, `same-site` for POST.
   */
  readonly from?: "same-site" | "any-site";
  /** Most bytes of a body; a larger one is refused with 413. Default: 65,536, and never more than `max_body_size`. */
  readonly maxBody?: number;
  handle(request: RouteRequest): RouteAnswer | Promise<RouteAnswer>;
}

export interface RouteRequest extends Sender {
  readonly method: string;
  /** What stood for the names in braces, decoded. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly query: URLSearchParams;
  /** The query as it was sent, without question mark: signatures may be of that text. */
  readonly search: string;
  /** True when the answer is read by a person: the request prefers a page over the formats of data. */
  readonly wantsPage: boolean;
  /** Scheme, host and prefix that this service is reached at, without slash at the end. */
  readonly baseUrl: string;
  /**
   * The texts in the body, by name: fields of a form or members of a JSON object. Throws what answers with 400, 413 or 415
   * for any other body; routes let that pass.
   */
  fields(): Promise<ReadonlyMap<string, string>>;
}

/** Leads a browser on: to another server, or with {@link AuthHost.localPath} to a path of this service. */
export type Onward =
  | { readonly kind: "redirect"; readonly status: 302 | 303; readonly to: string }
  | {
    /** A page with a form that sends itself by POST; without scripts it has a button. */
    readonly kind: "send";
    /** A URL. */
    readonly to: string;
    readonly fields: Readonly<Record<string, string>>;
  };

/** The answer of a route. `cookies` are values of `Set-Cookie`. */
export type RouteAnswer =
  | (Onward & { readonly cookies?: readonly string[]; readonly event?: AuthEvent })
  | {
    /** It is done: people are sent to `to` with `status`; others get 200 and `result`. */
    readonly kind: "done";
    readonly to: string;
    readonly status: 302 | 303;
    readonly result: Readonly<Record<string, Json>>;
    readonly cookies: readonly string[];
    readonly event?: AuthEvent;
  }
  | {
    /** People get the login page with the message, and with `values` in its form; others an error. */
    readonly kind: "refused";
    readonly code: "bad-request" | "forbidden" | "not-found" | "unavailable";
    /** A sentence without full stop and without anything secret. */
    readonly message: string;
    readonly values?: Readonly<Record<string, string>>;
    readonly next?: string;
    /** Redirects people to the address of the login page instead of showing it here. */
    readonly redirect?: true;
    readonly cookies?: readonly string[];
    readonly event?: AuthEvent;
  }
  | {
    readonly kind: "page";
    readonly page: FormPage;
    readonly status: 200 | 400 | 403;
    readonly cookies?: readonly string[];
  }
  | {
    /**
     * A page whose script sends what stands behind `#` in its address, as fields of a form, to a path of this service. No
     * server ever sees that part of an address by itself.
     */
    readonly kind: "fragment";
    readonly to: string;
  }
  | { readonly kind: "text"; readonly contentType: string; readonly text: string };

/** What the audit log says of an answer. Nothing in it is secret. */
export interface AuthEvent {
  readonly action: "login" | "logout";
  readonly outcome: "success" | "refused";
  /** Who, or who they claim to be. */
  readonly user?: string;
  /** For the log only. */
  readonly reason?: string;
}
