/**
 * The cookie that carries a session's ticket.
 *
 * @module
 */

import type { Settings } from "@/config/settings.ts";

const NAME = "auth_tkt";

/** The settings that decide. */
export type CookieSettings = Pick<Settings, "cookie_max_age" | "cookie_http_only" | "cookie_secure">;

/** Reads and writes `auth_tkt`. */
export interface SessionCookie {
  /** The ticket in a request's `Cookie` header; undefined without one. */
  read(headers: Headers): string | undefined;
  /** The value of `Set-Cookie` that gives the browser a ticket. */
  give(ticket: string, request: { readonly isHttps: boolean }): string;
  /** The value of `Set-Cookie` that makes the browser forget its ticket. */
  clear(request: { readonly isHttps: boolean }): string;
}

/** `prefix` is the path of `--base-url`, empty without one: the cookie is sent below it only. */
export function createSessionCookie(settings: CookieSettings, prefix: string): SessionCookie {
  const { cookie_secure: secure, cookie_http_only: httpOnly, cookie_max_age: maxAge } = settings;
  const write = (ticket: string, age: number, isHttps: boolean) =>
    [
      `${NAME}=${ticket}`,
      `Max-Age=${age}`,
      `Path=${prefix === "" ? "/" : prefix}`,
      ...(httpOnly ? ["HttpOnly"] : []),
      ...((secure === "auto" ? isHttps : secure) ? ["Secure"] : []),
      "SameSite=Lax",
    ].join("; ");
  return {
    read: readTicket,
    give: (ticket, { isHttps }) => write(ticket, maxAge, isHttps),
    clear: ({ isHttps }) => write("", 0, isHttps),
  };
}

/** Browsers send the cookie with the longest path first, so the first one of several is ours. */
function readTicket(headers: Headers): string | undefined {
  const header = headers.get("cookie");
  if (header === null || !header.includes(NAME)) return undefined;
  for (const pair of header.split(";")) {
    const equals = pair.indexOf("=");
    if (equals >= 0 && pair.slice(0, equals).trim() === NAME) return pair.slice(equals + 1).trim();
  }
  return undefined;
}
