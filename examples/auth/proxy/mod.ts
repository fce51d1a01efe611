/**
 * Logins of a proxy in front of the service, which has authenticated the client and tells the login in a header. The proxy
 * proves itself by a secret in another header, so nobody else can claim a login, whatever way a request takes.
 *
 * @module
 */

import { createHash, timingSafeEqual } from "node:crypto";
import type { AuthPlugin, Section } from "@/plugins/contract.ts";

interface Settings {
  /** The header with the login. */
  readonly header: string;
  /** The header with the secret. */
  readonly secretHeader: string;
  /** The digest of the secret. */
  readonly digest: Uint8Array;
}

export default {
  contract: 2,
  kind: "auth",
  name: "proxy",
  keys: ["header", "secret_header", "secret"],
  setup(section, host) {
    const settings = readSettings(section);
    return {
      authenticate({ headers, client }) {
        const login = headers.get(settings.header);
        const secret = headers.get(settings.secretHeader);
        if (login === null && secret === null) return { outcome: "absent" };
        host.throttle.requireTurn(client);
        if (secret === null || !timingSafeEqual(digestOf(secret), settings.digest)) {
          return { outcome: "rejected", reason: "the header with a login does not come from the proxy" };
        }
        // The proxy lets requests through that it has not authenticated.
        if (login === null || login === "") return { outcome: "absent" };
        const user = host.findUser(login);
        if (user) return { outcome: "accepted", user };
        return { outcome: "rejected", reason: "the proxy names a login that is not in users.cfg" };
      },
    };
  },
} satisfies AuthPlugin;

/** The secret has at least as many characters as 16 random bytes in base64. */
const SHORTEST_SECRET = 22;

function readSettings(section: Section): Settings {
  const { secret } = section;
  if (typeof secret !== "string" || secret.length < SHORTEST_SECRET) {
    throw new Error(`secret must be a text of at least ${SHORTEST_SECRET} random characters`);
  }
  return {
    header: headerOf(section, "header", "X-Remote-User"),
    secretHeader: headerOf(section, "secret_header", "X-Proxy-Secret"),
    digest: digestOf(secret),
  };
}

function headerOf(section: Section, key: string, fallback: string): string {
  const name = section[key] ?? fallback;
  if (typeof name === "string" && /^[A-Za-z0-9-]+$/.test(name)) return name;
  throw new Error(`${key} must be the name of a header`);
}

/** Digests have one length, which the comparison needs. */
function digestOf(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
