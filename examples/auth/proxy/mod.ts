/**
 * Logins of a proxy in front of the service, which has authenticated the client and tells the login in a header. The
 * header counts only if it comes from the proxy: from an address in `trusted_proxies`, or with a secret in another header,
 * which then is the only proof. Nobody else can claim a login.
 *
 * @module
 */

import { createHash, timingSafeEqual } from "node:crypto";
import type { AuthPlugin, AuthRequest, Section } from "@/plugins/contract.ts";

interface Settings {
  /** The header with the login. */
  readonly header: string;
  /** The header with the secret, and the secret's digest. Absent: the proxy's address is the proof. */
  readonly secret?: { readonly header: string; readonly digest: Uint8Array };
}

export default {
  contract: 2,
  kind: "auth",
  name: "proxy",
  keys: ["header", "secret_header", "secret"],
  setup(section, host) {
    const settings = readSettings(section);
    return {
      authenticate(request) {
        const { headers, client } = request;
        const login = headers.get(settings.header);
        const secret = settings.secret ? headers.get(settings.secret.header) : null;
        if (login === null && secret === null) return { outcome: "absent" };
        host.throttle.requireTurn(client);
        if (!isOfProxy(request, settings)) {
          const reason = `the header with a login comes from ${client.peer.address}, not from the proxy`;
          return { outcome: "rejected", reason };
        }
        // The proxy lets requests through that it has not authenticated.
        if (login === null || login === "") return { outcome: "absent" };
        const user = host.findUser(login);
        if (user) return { outcome: "accepted", user };
        return { outcome: "rejected", reason: "the proxy names a login that is not in users.cfg", login };
      },
    };
  },
} satisfies AuthPlugin;

function isOfProxy({ headers, client }: AuthRequest, { secret }: Settings): boolean {
  if (!secret) return client.peer.isTrustedProxy;
  const sent = headers.get(secret.header);
  return sent !== null && timingSafeEqual(digestOf(sent), secret.digest);
}

/** The secret has at least as many characters as 16 random bytes in base64. */
const SHORTEST_SECRET = 22;

function readSettings(section: Section): Settings {
  const { secret } = section;
  const header = headerOf(section, "header", "X-Remote-User");
  const secretHeader = headerOf(section, "secret_header", "X-Proxy-Secret");
  if (secret === undefined) return { header };
  if (typeof secret !== "string" || secret.length < SHORTEST_SECRET) {
    throw new Error(`secret must be a text of at least ${SHORTEST_SECRET} random characters`);
  }
  return { header, secret: { header: secretHeader, digest: digestOf(secret) } };
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
