/**
 * Prevents requests by other sites with the session of a user's browser: the browser adds the cookie, and
 * perhaps other credentials, to requests that any page causes, so a request that changes something must
 * come from a page of this service.
 *
 * @module
 */

import type { Settings } from "@/config/settings.ts";
import { ServiceError } from "@/core/errors.ts";
import { resumeSession, type SessionPlace } from "@/core/identity/sessions/browser_sessions.ts";
import type { FormTokens } from "@/core/identity/sessions/csrf_tokens.ts";
import { isSame } from "@/core/identity/sessions/secret.ts";
import type { Sender } from "@/plugins/contract.ts";
import type { Caller } from "./permissions.ts";

/** The header in which scripts send the token of their session. */
export const TOKEN_HEADER = "X-CSRF-Token";
/** The form field with this token. */
export const TOKEN_FIELD = "csrf_token";

/**
 * `own`: a page of this service or of a trusted origin. `unknown`: no header says so, perhaps
 * because the client is not a browser.
 */
export type Site = "own" | "foreign" | "unknown";

/** The configuration that decides which sites are trusted. */
interface SiteRules {
  /** Scheme and host of `--base-url`. */
  readonly origin?: string;
  readonly settings: Settings;
}

/** The sender of a request, and its method. */
type MethodSender = Sender & { readonly method: string };

/** Whether pages of an origin have the rights of this service's pages. */
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

/** The site that made a browser send a request, according to its headers. Pages cannot set these headers. */
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
 * Refuses with 403 a request that has an effect and is authorised by credentials that a browser adds by
 * itself, such as a session's cookie, unless it comes from a page of this service. The core calls it for
 * every request with an effect, whatever its method. Other credentials pass, because pages of other sites do
 * not have them. The session's token passes from any origin, and so does a program that sends none of the
 * headers that every browser sends with a POST, PUT or DELETE; not every browser sends them with a GET.
 */
export function requireOwnPage(sender: MethodSender, { session, isAmbient }: Caller, rules: SiteRules): void {
  const isOwn = siteOf(sender, rules) === "own" && !isLedByLink(sender);
  if (!(session || isAmbient) || isOwn || isProgram(sender)) return;
  const token = sender.headers.get(TOKEN_HEADER);
  if (session && token !== null && isSame(token, session.csrfToken)) return;
  throw crossSite();
}

/** Whether somebody else may have made the browser send this request: another site, or a link in the data. */
export function isOfOthers(sender: MethodSender, rules: SiteRules): boolean {
  const site = siteOf(sender, rules);
  return site === "foreign" || (site === "own" && isLedByLink(sender));
}

/**
 * Whether a link that somebody else wrote may have led the browser here: one on another site through the
 * login page, or one in the data, which sends no referrer.
 */
function isLedByLink({ method, headers }: MethodSender): boolean {
  if (method !== "GET") return false;
  const page = URL.parse(headers.get("referer") ?? "")?.pathname;
  return page === undefined ? !headers.has("origin") : LOGIN_PAGES.test(page);
}

/** The paths of logins, which all show the login page after a failure. */
const LOGIN_PAGES = /\/(?:login|sso)(?:\/|$)/;

/** Browsers send the origin with these methods, even an opaque one: `Origin: null`. */
const TOLD: readonly string[] = ["POST", "PUT", "DELETE"];

function isProgram({ method, headers }: MethodSender): boolean {
  return TOLD.includes(method) && !["origin", "sec-fetch-site", "referer"].some((name) => headers.has(name));
}

/**
 * The token of the request's session, for programs that read it along with the cookie. Undefined if
 * `cors.open` would let a page of a foreign origin read it as well.
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
function crossSite(): ServiceError {
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

/**
 * Throws 403 unless the token belongs to the session of the sender, or was issued to this browser before a
 * login. The second does not count if a browser says that the page of another site has sent the request.
 */
export async function requirePageToken(
  token: string | undefined,
  sender: Sender,
  service: SessionPlace & SiteRules & { readonly formTokens: FormTokens },
): Promise<void> {
  if (token === undefined) throw crossSite();
  if (siteOf(sender, service) === "unknown" && service.formTokens.fits(token, sender)) return;
  const { session } = await resumeSession(sender, service);
  if (!session || !isSame(token, session.csrfToken)) throw crossSite();
}
