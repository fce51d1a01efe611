/**
 * Keeps other sites from using the session of somebody's browser: the browser sends the cookie along with whatever any page
 * makes it send, so a request that changes something must come from a page of this service. Pure.
 *
 * @module
 */

import { ServiceError } from "@/core/errors.ts";
import type { Caller } from "./permissions.ts";
import type { Settings } from "@/config/settings.ts";
import { isSame } from "@/core/identity/sessions/secret.ts";
import type { Sender } from "@/plugins/contract.ts";

/** Where pages that scripts send requests from put the token of their session. */
export const TOKEN_HEADER = "X-CSRF-Token";
/** The field of forms that carries it. */
export const TOKEN_FIELD = "csrf_token";

/** `own`: a page of this service or of a trusted origin. `unknown`: nothing tells, so perhaps it is no browser. */
export type Site = "own" | "foreign" | "unknown";

/** What decides which sites are our own. */
export interface SiteRules {
  /** Scheme and host of `--base-url`. */
  readonly origin?: string;
  readonly settings: Settings;
}

/** Who sends a request, and how. */
export type MethodSender = Sender & { readonly method: string };

/** Whether pages of an origin are as good as pages of this service. */
export function isTrustedOrigin(origin: string, sender: Sender, rules: SiteRules): boolean {
  return rules.settings["cors.trusted_origins"].includes(origin) || isOwnOrigin(origin, sender, rules);
}

function isOwnOrigin(
  origin: string,
  { headers, client }: Sender,
  { origin: configured }: SiteRules,
): boolean {
  return origin === configured || origin === ownOrigin(headers, client.isHttps);
}

/** From which site a browser sent a request, as far as its headers tell. No page can choose these headers. */
export function siteOf(sender: Sender, rules: SiteRules): Site {
  const { headers } = sender;
  const fetchSite = headers.get("sec-fetch-site");
  const origin = headers.get("origin") ?? originOf(headers.get("referer"));
  if (origin !== undefined && rules.settings["cors.trusted_origins"].includes(origin)) return "own";
  if (fetchSite === "same-origin") return "own";
  if (fetchSite === "cross-site" || fetchSite === "same-site") return "foreign";
  if (origin === undefined) return "unknown";
  return isOwnOrigin(origin, sender, rules) ? "own" : "foreign";
}

/**
 * Refuses with 403 what a session's cookie alone must not do. The core calls it for every request that has an effect,
 * whatever its method; requests without a session's cookie pass, because no browser sends their credentials by itself.
 * Who carries the session's token passes from everywhere, and so does a program that has logged in and sends none of the
 * headers that every browser sends with a POST, PUT or DELETE; with a GET not every browser does.
 */
export function requireOwnPage(sender: MethodSender, { session }: Caller, rules: SiteRules): void {
  if (!session || siteOf(sender, rules) === "own" || isProgram(sender)) return;
  const token = sender.headers.get(TOKEN_HEADER);
  if (token !== null && isSame(token, session.csrfToken)) return;
  throw crossSite();
}

/** Browsers tell the origin of what they send with these methods, also where it is opaque: `Origin: null`. */
const TOLD: readonly string[] = ["POST", "PUT", "DELETE"];

function isProgram({ method, headers }: MethodSender): boolean {
  return TOLD.includes(method) && !["origin", "sec-fetch-site", "referer"].some((name) => headers.has(name));
}

/**
 * The token of the request's session, for programs that read it with the cookie; undefined where a page of a foreign origin
 * could read it as well, which only `cors.open` lets it.
 */
export function readableToken(
  { session }: Caller,
  { headers, service: { settings } }: { readonly headers: Headers; readonly service: SiteRules },
): string | undefined {
  const origin = headers.get("origin");
  const isOwn = origin === null || settings["cors.trusted_origins"].includes(origin);
  return isOwn || !settings["cors.open"] ? session?.csrfToken : undefined;
}

/** The refusal of a request that another site may have sent. */
export function crossSite(): ServiceError {
  return new ServiceError(
    "forbidden",
    "Another site may have sent this request: send it from a page of this service, or with an Origin header that is " +
      "its own or one of cors.trusted_origins, or with the page's CSRF token, or with an API key instead of the cookie",
  );
}

function ownOrigin(headers: Headers, isHttps: boolean): string | undefined {
  const host = headers.get("host");
  return host === null ? undefined : originOf(`${isHttps ? "https" : "http"}://${host}`);
}

function originOf(url: string | null): string | undefined {
  return url === null ? undefined : URL.parse(url)?.origin;
}
