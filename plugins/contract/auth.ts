/**
 * Authentication methods: who sent a request.
 *
 * @module
 */

import type { Json, User } from "@/core/model.ts";
import type { AuthHost } from "./auth_host.ts";
import type { AuthRoute, Onward, RouteRequest } from "./auth_route.ts";
import type { AuthSession } from "./auth_session.ts";
import type { Button, Form } from "./page.ts";
import type { Plugin } from "./plugin.ts";
import type { Sender } from "./sender.ts";

/** An authentication method, as its folder exports it. */
export type AuthPlugin = Plugin<"auth", AuthMethod, AuthHost> & {
  /** Keys that its block in auth.cfg may have beside enabled, priority and gui; absent: any. */
  readonly keys?: readonly string[];
};

/** A method that was set up: what it takes as credentials, and what else it offers. */
export interface AuthMethod {
  /** Looks for credentials of its kind. It is asked with every request, in the order of priorities. */
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

/** The part of a request that authentication may look at. */
export interface AuthRequest extends Sender {
  /** `GET`, `POST` and so on. */
  readonly method: string;
  /** Values of the query parameters named in {@link AuthMethod.queryParameters}. */
  readonly credentials: ReadonlyMap<string, string>;
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
    /** When the credentials end, in milliseconds since 1970: a session that they open ends then, if not before. */
    readonly endsAt?: number;
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

/** What the login page is shown for. */
export interface LoginPage {
  /** Where the user is sent after the login: a path of this service. */
  readonly next: string;
  /** Another login has failed: the provider is to ask which account is meant. */
  readonly afterFailure?: boolean;
}
