/**
 * Cookies of this service: their names, attributes and values in headers.
 *
 * @module
 */

import type { Settings } from "@/config/settings.ts";
import type { Sender } from "@/plugins/contract.ts";

/** The constant parts of a cookie. */
interface CookieOptions {
  readonly name: string;
  /** The path of `--base-url`, empty without one; it is the path of the cookie. */
  readonly prefix: string;
  /** Hides it from scripts. Default: true. */
  readonly httpOnly?: boolean;
  /** Whether it is sent over HTTPS only; `auto`, the default: if it was set over HTTPS. */
  readonly secure?: boolean | "auto";
  /** Seconds that it lasts; absent: until the browser closes. */
  readonly maxAge?: number;
}

/** Reads and writes one cookie. */
export interface Cookie {
  /**
   * Its value in a request. Undefined without one, and with two different ones: another host of the domain
   * has set its own, and the header does not say which is which.
   */
  read(sender: Sender): string | undefined;
  /** The value of `Set-Cookie` that gives the browser a value. */
  give(value: string, request: { readonly isHttps: boolean }): string;
  /** The value of `Set-Cookie` that makes the browser forget it. */
  clear(request: { readonly isHttps: boolean }): string;
}

/** The settings of the session cookie. */
export type CookieSettings = Pick<Settings, "cookie_max_age" | "cookie_http_only" | "cookie_secure">;

/** The cookie that carries a session's ticket. `prefix` is the path of `--base-url`, empty without one. */
export function createSessionCookie(settings: CookieSettings, prefix: string): Cookie {
  const { cookie_secure: secure, cookie_http_only: httpOnly, cookie_max_age: maxAge } = settings;
  return createCookie({ name: "auth_tkt", prefix, httpOnly, secure, maxAge });
}

/**
 * Over HTTPS, if the cookie's path is the whole host, its name begins with `__Host-`: browsers accept such a
 * cookie only from this very host, so that other hosts of the domain cannot plant one.
 */
export function createCookie(options: CookieOptions): Cookie {
  const { name, prefix, httpOnly = true, secure = "auto" } = options;
  const hostName = `__Host-${name}`;
  const nameFor = (isHttps: boolean) => isHttps && secure !== false && prefix === "" ? hostName : name;
  const write = (value: string, isHttps: boolean, maxAge: number | undefined) =>
    [
      `${nameFor(isHttps)}=${value}`,
      ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
      `Path=${prefix === "" ? "/" : prefix}`,
      ...(httpOnly ? ["HttpOnly"] : []),
      ...((secure === "auto" ? isHttps : secure) ? ["Secure"] : []),
      "SameSite=Lax",
    ].join("; ");
  return {
    read({ headers, client }) {
      const header = headers.get("cookie");
      if (header === null || !header.includes(name)) return undefined;
      const values = new Set(valuesOf(nameFor(client.isHttps), header));
      return values.size === 1 ? values.values().next().value : undefined;
    },
    give: (value, { isHttps }) => write(value, isHttps, options.maxAge),
    clear: ({ isHttps }) => write("", isHttps, 0),
  };
}

/**
 * Only spaces and tabs are before a pair. Browsers let another host of the domain plant a cookie whose name
 * has the byte 0xA0 in front of `__Host-`, and `trim` removes that, too.
 */
function valuesOf(name: string, header: string): readonly string[] {
  return header.split(";").flatMap((written) => {
    const pair = written.replace(/^[ \t]+/, "");
    // A client may put a value in quotes (RFC 6265, section 4.1.1).
    return pair.startsWith(`${name}=`)
      ? [pair.slice(name.length + 1).trimEnd().replace(/^"(.*)"$/, "$1")]
      : [];
  });
}
