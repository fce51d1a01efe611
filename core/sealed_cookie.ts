/**
 * Cookies in which a method leaves something with a browser, such as a login that has begun: sealed, so that nobody can
 * read or change them, and good for a while only.
 *
 * @module
 */

import type { AuthHost, SealedCookie, Sender } from "@/plugins/contract.ts";

type CookieHost = Pick<AuthHost, "seal" | "unseal" | "prefix">;

/** The cookie of that name. */
export function createSealedCookie(name: string, seconds: number, host: CookieHost): SealedCookie {
  /** Tells its content from what else is sealed by the same method. */
  const mark = `cookie ${name} `;
  return {
    give: (text, sender) => write(name, host.seal(mark + text, seconds), { seconds, sender, host }),
    clear: (sender) => write(name, "", { seconds: 0, sender, host }),
    read({ headers }) {
      for (const pair of (headers.get("cookie") ?? "").split(";")) {
        const [key = "", value = ""] = pair.trim().split("=", 2);
        const opened = key === name ? host.unseal(value) : undefined;
        if (opened?.startsWith(mark)) return opened.slice(mark.length);
      }
      return undefined;
    },
  };
}

interface Writing {
  readonly seconds: number;
  readonly sender: Sender;
  readonly host: CookieHost;
}

function write(name: string, value: string, { seconds, sender, host: { prefix } }: Writing): string {
  const secure = sender.client.isHttps ? "; Secure" : "";
  const path = prefix === "" ? "/" : prefix;
  return `${name}=${value}; Max-Age=${seconds}; Path=${path}; HttpOnly${secure}; SameSite=Lax`;
}
