/**
 * Authentication methods: they find out who sent a request.
 *
 * @module
 */

import type { Json } from "@/core/model.ts";
import type { AuthHost } from "./auth_host.ts";
import type { AuthRoute, Onward, RouteRequest } from "./auth_route.ts";
import type { AuthSession } from "./auth_session.ts";
import type { User } from "./auth_user.ts";
import type { Button, Form } from "./page.ts";
import type { Plugin } from "./plugin.ts";
import type { Sender } from "./sender.ts";

/** An authentication method, as its folder exports it. */
export type AuthPlugin = Plugin<"auth", AuthMethod, AuthHost>;

/** A method that was set up: the credentials it accepts, and the pages it offers. */
export interface AuthMethod {
  /**
   * Looks for credentials of its kind. Called for every request, in the order of priorities. Where
   * credentials can be guessed, it asks {@link AuthHost.throttle} before it looks them up.
   */
  authenticate(request: AuthRequest): AuthResult | Promise<AuthResult>;
  /**
   * Checks a password elsewhere, for instance in a directory, for the login form and for Basic. Asked about
   * accounts that have no password in users.cfg; a yes can only mean this very login, which the service looks
   * up again. Never gets an empty password, nor `admin` or `public`. For all other logins that fail it gets a
   * made-up login and password, so that the answer takes the same time: an unknown login must take as long as
   * a wrong password. If it throws, or gives nothing within half of `server.plugin_timeout`, the login is
   * 503. Several methods are asked side by side, and one yes is enough.
   */
  checkPassword?(login: string, password: string): boolean | Promise<boolean>;
  /**
   * Names of query parameters that carry this method's credentials; they are accepted on every URL, so a name
   * of another parameter stops the start.
   */
  readonly queryParameters?: readonly string[];
  /** Facts that clients need to use this method, shown in `/settings`: names of headers, never a secret. */
  readonly clientSettings?: Readonly<Record<string, Json>>;
  /** How its credentials are sent, as security scheme objects of OpenAPI by name; never a secret. */
  readonly securitySchemes?: Readonly<Record<string, Json>>;
  /**
   * Names of {@link securitySchemes} that are sufficient together. Absent: each scheme is sufficient alone.
   */
  readonly securityRequirements?: readonly (readonly string[])[];
  /** True when valid credentials on a request for a page open a session. Default false. */
  readonly opensSession?: boolean;
  /**
   * True when a browser, or a proxy in front of the service, adds the credentials by itself, as with
   * certificates and Kerberos: the pages of all sites could use them. A request that changes something must
   * then come from a page of this service, as with a session. Default false.
   */
  readonly isAmbient?: boolean;
  /** Paths of this service that the method answers itself. They are public: no credentials are needed. */
  readonly routes?: readonly AuthRoute[];
  /** Buttons on the login page, if the policy file shows this method there. Called for each page. */
  buttons?(page: LoginPage): readonly Button[];
  /**
   * The form on the login page, if the policy file shows this method there. Only one method may have a form.
   */
  form?(page: LoginPage): Form;
  /**
   * Sentences on the login page, if the policy file shows this method there: how programs use it, or
   * problems that exist at the moment.
   */
  notices?(): readonly string[];
  /**
   * Called after a browser has ended a session that this method opened. The result leads the browser on, for
   * example to the provider to log out there. Undefined: the browser stays.
   */
  afterLogout?(session: AuthSession, request: RouteRequest): Promise<Onward | undefined>;
  /** Called once when a worker begins to serve, which disposes of the result when it ends. */
  start?(): AsyncDisposable;
}

/** The part of a request that authentication may read. */
export interface AuthRequest extends Sender {
  /** `GET`, `POST` and so on. */
  readonly method: string;
  /** Path and query as sent, with the prefix and the credentials in it: signatures may cover this text. */
  readonly target: string;
  /** Values of the query parameters named in {@link AuthMethod.queryParameters}. */
  readonly credentials: ReadonlyMap<string, string>;
  /**
   * The digest of the body as sent, which is read for it; without a body, that of no bytes. Call it last,
   * when everything that the headers prove is proved: reading takes as long as the sender takes, and bodies
   * of senders who are not known yet share a quarter of `server.body_memory`. Rejects with errors that the
   * core answers with 400, 408, 413, 429 or 503; methods must not catch them. Only until {@link
   * AuthMethod.authenticate} has given its result.
   */
  digest(algorithm: DigestAlgorithm): Promise<Uint8Array<ArrayBuffer>>;
}

/** Digests of bodies, by their names in `Content-Digest` (RFC 9530). */
export type DigestAlgorithm = "sha-256" | "sha-512";

/**
 * `absent`: the request has no credentials of this method, so the next method is called. `rejected`: the
 * credentials are wrong; the request is refused and never becomes `public`. The reason is for the log only,
 * unless `tell` is set. A rejection counts as a failed attempt of its sender, who has to wait after too many,
 * unless `tell` is set or the method has `counted` the attempt itself. `cookies` are values of `Set-Cookie`
 * for the answer, even if the request fails later.
 */
export type AuthResult =
  | { readonly outcome: "absent"; readonly cookies?: readonly string[] }
  | {
    readonly outcome: "accepted";
    readonly user: User;
    /**
     * The session of the request's cookie: a request that changes data must then
     * come from a page of this service.
     */
    readonly session?: AuthSession;
    /**
     * End of the credentials, in milliseconds since 1970: a session that they open ends then at the latest.
     */
    readonly endsAt?: number;
    readonly cookies?: readonly string[];
  }
  | {
    readonly outcome: "rejected";
    readonly reason: string;
    /** The login that the sender claims, for the audit log. */
    readonly login?: string;
    readonly tell?: string;
    readonly counted?: true;
  };

/** The reason why the login page is shown. */
export interface LoginPage {
  /** The destination after the login: a path of this service. */
  readonly next: string;
  /** A login has just failed: the provider is asked to let the user choose an account. */
  readonly afterFailure?: boolean;
}
