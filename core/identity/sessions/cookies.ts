/**
 * Cookies of this service: their names, attributes and values in headers.
 *
 * @module
 */

import type { Sender } from "@/plugins/contract.ts";

/** What is the same for every value of a cookie. */
export interface CookieOptions {
  readonly name: string;
  /** The path of `--base-url`, empty without one: the cookie is sent below it only. */
  readonly prefix: string;
  /** Hides it from scripts. Default: true. */
  readonly httpOnly?: boolean;
  /** Whether it is sent over HTTPS only; `auto`, the default: where it was given over HTTPS. */
  readonly secure?: boolean | "auto";
}

/** Reads and writes one cookie. */
export interface Cookie {
  /**
   * Its value in a request; undefined without one, and where there are two different ones: some other host of the domain
   * has added its own, and nothing tells which that is.
   */
  read(sender: Sender): string | undefined;
  /** The value of `Set-Cookie`. It lasts for `maxAge` seconds; absent: until the browser ends. */
  write(value: string, request: { readonly isHttps: boolean }, maxAge?: number): string;
}

/**
 * Over HTTPS, and where nothing but the whole host can be its path, its name begins with `__Host-`: browsers take such a
 * cookie from this very host only, so that no other host of the domain can plant one.
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
