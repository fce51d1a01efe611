/**
 * Cookies of this service: their names, attributes and values in headers.
 *
 * @module
 */

import type { Sender } from "@/plugins/contract.ts";

/** The constant parts of a cookie. */
export interface CookieOptions {
  readonly name: string;
  /** The path of `--base-url`, empty without one; it is the path of the cookie. */
  readonly prefix: string;
  /** Hides it from scripts. Default: true. */
  readonly httpOnly?: boolean;
  /** Whether it is sent over HTTPS only; `auto`, the default: if it was set over HTTPS. */
  readonly secure?: boolean | "auto";
}

/** Reads and writes one cookie. */
export interface Cookie {
  /**
   * Its value in a request. Undefined without one, and with two different ones: another host of the domain has set its
   * own, and the header does not say which is which.
   */
  read(sender: Sender): string | undefined;
  /** The value of `Set-Cookie`. It lasts `maxAge` seconds; absent: until the browser closes. */
  write(value: string, request: { readonly isHttps: boolean }, maxAge?: number): string;
}

/**
 * Over HTTPS, if the cookie's path is the whole host, its name begins with `__Host-`: browsers accept such a cookie
 * only from this very host, so that other hosts of the domain cannot plant one.
 */
export function createCookie({ name, prefix, httpOnly = true, secure = "auto" }: CookieOptions): Cookie {
  const hostName = `__Host-${name}`;
  const nameFor = (isHttps: boolean) => isHttps && secure !== false && prefix === "" ? hostName : name;
  return {
    read({ headers, client }) {
      const header = headers.get("cookie");
      if (header === null || !header.includes(name)) return undefined;
      const values = new Set(valuesOf(nameFor(client.isHttps), header));
      return values.size === 1 ? values.values().next().value : undefined;
    },
    write: (value, { isHttps }, maxAge) =>
      [
        `${nameFor(isHttps)}=${value}`,
        ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
        `Path=${prefix === "" ? "/" : prefix}`,
        ...(httpOnly ? ["HttpOnly"] : []),
        ...((secure === "auto" ? isHttps : secure) ? ["Secure"] : []),
        "SameSite=Lax",
      ].join("; "),
  };
}

function valuesOf(name: string, header: string): readonly string[] {
  return header.split(";").flatMap((pair) => {
    const equals = pair.indexOf("=");
    return equals >= 0 && pair.slice(0, equals).trim() === name ? [pair.slice(equals + 1).trim()] : [];
  });
}
