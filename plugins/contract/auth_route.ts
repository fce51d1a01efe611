/**
 * Paths that authentication methods answer themselves.
 *
 * @module
 */

import type { Json } from "@/core/model.ts";
import type { Sender } from "./sender.ts";
import type { FormPage } from "./page.ts";

/** One method of one path. A path may have several. */
export interface AuthRoute {
  /** Another method of the same path needs a route of its own. */
  readonly method: "GET" | "POST";
  /** Below the prefix, with names in braces for one segment each: `/sso/callback/saml/{idp_id}`. */
  readonly path: string;
  /**
   * Who may send a browser here. `same-site`: requests that another site makes a browser send are refused with 403.
   * `any-site`: it changes nothing, or checks that by itself. Default: `any-site` for GET, which answers HEAD, too, then;
   * `same-site` for POST. HEAD of a `same-site` GET is answered without calling {@link handle}.
   */
  readonly from?: "same-site" | "any-site";
  /** Most bytes of a body; a larger one is refused with 413. Default: 65,536, and never more than `max_body_size`. */
  readonly maxBody?: number;
  /** Answers a request. What it throws is a failure of the service, save what the host says that it lets pass. */
  handle(request: RouteRequest): RouteAnswer | Promise<RouteAnswer>;
}

/** A request that came to a route. */
export interface RouteRequest extends Sender {
  /** Names the request in the logs, and in `X-Request-Id` of its answer. */
  readonly requestId: string;
  /** `GET`, `HEAD` or `POST`. */
  readonly method: string;
  /** What stood for the names in braces, decoded. */
  readonly parameters: ReadonlyMap<string, string>;
  /** What stands behind the question mark, decoded. */
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
    /** Pages of other sites may have it in a frame, as providers do that end several logins at once. */
    readonly inFrame?: true;
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
  /** What was tried. */
  readonly action: "login" | "logout";
  /** How it ended. */
  readonly outcome: "success" | "refused";
  /** Who, or who they claim to be. */
  readonly user?: string;
  /** For the log only. */
  readonly reason?: string;
  /** What a provider said of somebody who is no one user here: for `admin`, in the audit log and `/reqstatus`. */
  readonly value?: string;
}
