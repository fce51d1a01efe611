/**
 * The cookie that carries a session's ticket.
 *
 * @module
 */

import { createCookie } from "./cookies.ts";
import type { Settings } from "@/config/settings.ts";
import type { Sender } from "@/plugins/contract.ts";

const NAME = "auth_tkt";

/** The settings of the cookie. */
export type CookieSettings = Pick<Settings, "cookie_max_age" | "cookie_http_only" | "cookie_secure">;

/** Reads and writes `auth_tkt`. */
export interface SessionCookie {
  /** The ticket of a request; undefined without one. */
  read(sender: Sender): string | undefined;
  /** The value of `Set-Cookie` that gives the browser a ticket. */
  give(ticket: string, request: { readonly isHttps: boolean }): string;
  /** The value of `Set-Cookie` that makes the browser forget its ticket. */
  clear(request: { readonly isHttps: boolean }): string;
}

/** `prefix` is the path of `--base-url`, empty without one; it is the path of the cookie. */
export function createSessionCookie(settings: CookieSettings, prefix: string): SessionCookie {
  const { cookie_secure: secure, cookie_http_only: httpOnly, cookie_max_age: maxAge } = settings;
  const cookie = createCookie({ name: NAME, prefix, httpOnly, secure });
  return {
    read: cookie.read,
    give: (ticket, request) => cookie.write(ticket, request, maxAge),
    clear: (request) => cookie.write("", request, 0),
  };
}
