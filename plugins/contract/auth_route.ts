/**
 * Paths that authentication methods answer themselves.
 *
 * @module
 */

import type { Json } from "@/core/model.ts";
import type { FormPage } from "./page.ts";
import type { Sender } from "./sender.ts";

/** One method of one path. A path may have several. */
export interface AuthRoute {
  /** The HTTP method; another one of the same path needs its own route. */
  readonly method: "GET" | "POST";
  /**
   * Below the prefix, with names in braces for one segment each: `/sso/callback/saml/{idp_id}`. The first
   * segment is a word that the service has no paths below.
   */
  readonly path: string;
  /**
   * The sites that may send a browser here. `same-site`: requests that another site causes are
   * refused with 403. `any-site`: the route changes nothing, or checks the origin itself. Default:
   * `any-site` for GET, which then also answers HEAD; `same-site` for POST. HEAD of a `same-site` GET
   * is answered without calling {@link handle}.
   */
  readonly from?: "same-site" | "any-site";
  /**
   * Largest body in bytes; a larger one is refused with 413. Default: 65,536, and
   * never more than `max_body_size`.
   */
  readonly maxBody?: number;
  /**
   * Answers a request. An exception is a failure of the service, except those that the
   * host documents as errors to pass on.
   */
  handle(request: RouteRequest): RouteAnswer | Promise<RouteAnswer>;
}

/** A request to a route. */
export interface RouteRequest extends Sender {
  /** The id of the request in the logs and in `X-Request-Id`. */
  readonly requestId: string;
  /** `GET`, `HEAD` or `POST`. */
  readonly method: string;
  /** The values of the names in braces, decoded. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The query of the URL, decoded. */
  readonly query: URLSearchParams;
  /** The query as it was sent, without question mark: signatures may cover this text. */
  readonly search: string;
  /** True when a person reads the answer: the request prefers a page to the formats of data. */
  readonly wantsPage: boolean;
  /** Scheme, host and prefix under which clients reach this service, without slash at the end. */
  readonly baseUrl: string;
  /**
   * The texts in the body, by name: fields of a form or members of a JSON object. Throws an error that the
   * core answers with 400, 413 or 415 for any other body; routes must not catch it.
   */
  fields(): Promise<ReadonlyMap<string, string>>;
}

/**
 * The next address of a browser: on another server, or with {@link
 * AuthHost.localPath} a path of this service.
 */
export type Onward =
  | { readonly kind: "redirect"; readonly status: 302 | 303; readonly to: string }
  | {
    /** A page with a form that submits itself by POST; without scripts it has a button. */
    readonly kind: "send";
    /** A URL. */
    readonly to: string;
    readonly fields: Readonly<Record<string, string>>;
    /** Pages of other sites may frame the page: providers that end several logins at once do so. */
    readonly inFrame?: true;
  };

/** The answer of a route. `cookies` are values of `Set-Cookie`. */
export type RouteAnswer =
  | (Onward & { readonly cookies?: readonly string[]; readonly event?: AuthEvent })
  | {
    /** The request succeeded: people are sent to `to` with `status`; other clients get 200 and `result`. */
    readonly kind: "done";
    readonly to: string;
    readonly status: 302 | 303;
    readonly result: Readonly<Record<string, Json>>;
    readonly cookies: readonly string[];
    readonly event?: AuthEvent;
  }
  | {
    /**
     * People get the login page with the message, and with `values` in its form; other clients get an error.
     */
    readonly kind: "refused";
    readonly code: "bad-request" | "forbidden" | "not-found" | "unavailable";
    /** A sentence without full stop and without secrets. */
    readonly message: string;
    readonly values?: Readonly<Record<string, string>>;
    readonly next?: string;
    /** Redirects every client to the login page instead of showing it here. */
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
     * A page whose script sends the fragment of its address (after `#`) to a path of this service, as fields
     * of a form. Browsers do not send that part of an address to servers.
     */
    readonly kind: "fragment";
    readonly to: string;
  }
  | { readonly kind: "text"; readonly contentType: string; readonly text: string };

/** The entry of the audit log for an answer. It must not contain secrets. */
export interface AuthEvent {
  /** The action of the browser. */
  readonly action: "login" | "logout";
  /** The result of the action. */
  readonly outcome: "success" | "refused";
  /** The user, or the login that the sender claims. */
  readonly user?: string;
  /** For the log only. */
  readonly reason?: string;
  /**
   * The name that a provider gave for the person: for `admin`, in the audit log and, if it matches no single
   * user here, in `/reqstatus`.
   */
  readonly value?: string;
}
