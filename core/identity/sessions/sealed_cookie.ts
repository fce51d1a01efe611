/**
 * Cookies in which a method leaves something with a browser, such as a login that has begun: sealed, so that nobody can
 * read or change them, and good for a while only.
 *
 * @module
 */

import { createCookie } from "./cookies.ts";
import type { AuthHost, SealedCookie } from "@/plugins/contract.ts";

type CookieHost = Pick<AuthHost, "seal" | "unseal" | "prefix">;

/** The cookie of that name. */
export function createSealedCookie(name: string, seconds: number, host: CookieHost): SealedCookie {
  /** Tells its content from what else is sealed by the same method. */
  const mark = `cookie ${name} `;
  const cookie = createCookie({ name, prefix: host.prefix });
  return {
    give: (text, { client }) => cookie.write(host.seal(mark + text, seconds), client, seconds),
    clear: ({ client }) => cookie.write("", client, 0),
    read(sender) {
      const opened = host.unseal(cookie.read(sender) ?? "");
      return opened?.startsWith(mark) ? opened.slice(mark.length) : undefined;
    },
  };
}
